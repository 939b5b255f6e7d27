import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** Bytes of a UTF-8 character cut at either end. */
const LONGEST_REST = 3;

/**
 * Decodes bytes by a media type. Without a known charset: UTF-8 if valid, else Windows-1252. Ignores characters cut at
 * either end.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const [, label = ''] = CHARSET.exec(contentType) ?? [];
  return decoderFor(bytes, label).decode(bytes);
}

const CHARSET = /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i;

function decoderFor(bytes: Uint8Array, label: string): TextDecoder {
  const [first, second] = bytes;
  // The byte order mark decides: the name is equal for both orders.
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return declaredDecoder(label) ?? new TextDecoder(isUtf8Inside(bytes) ? 'utf-8' : 'windows-1252');
}

function declaredDecoder(label: string): TextDecoder | null {
  try {
    return label === '' ? null : new TextDecoder(label);
  } catch {
    return null; // No such charset.
  }
}

function isUtf8Inside(bytes: Uint8Array): boolean {
  return isUtf8(bytes.subarray(restAtStart(bytes), bytes.length - restAtEnd(bytes)));
}

/** Counts bytes that continue an earlier character. */
function restAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < LONGEST_REST && isContinuation(bytes[count])) count += 1;
  return count;
}

/** Counts bytes of an unfinished character. */
function restAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= LONGEST_REST; back += 1) {
    const byte = bytes[bytes.length - back];
    if (!isContinuation(byte)) return byte !== undefined && byte >= 0xc0 && lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
