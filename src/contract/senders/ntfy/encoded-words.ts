import { TextDecoder } from 'node:util';

/** An encoded word and the meaningless blanks before another. RFC 2047, sections 2 and 6.2. */
const WORD = /=\?([\w-]+)(?:\*[\w-]*)?\?([bq])\?([^?\s]*)\?=(?:\s+(?==\?[\w-]+(?:\*[\w-]*)?\?[bq]\?[^?\s]*\?=))?/gi;

/** Unknown charsets take 10 µs each to look up; a field has room for a thousand. */
const MOST_CHARSETS = 10;

/** Decodes encoded words; keeps unreadable ones. */
export function decodeWords(field: string): string {
  const decoders = new Map<string, TextDecoder | null>();
  return field.replaceAll(WORD, (word, charset: string, encoding: string, text: string) => {
    if (!decoders.has(charset) && decoders.size < MOST_CHARSETS) decoders.set(charset, decoderOf(charset));
    const decoder = decoders.get(charset);
    return decoder ? decoder.decode(encoding.toLowerCase() === 'b' ? base64(text) : quotedPrintable(text)) : word;
  });
}

function decoderOf(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null; // No such charset.
  }
}

function base64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

function quotedPrintable(text: string): Uint8Array {
  const bytes = text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
