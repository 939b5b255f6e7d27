import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

const ZERO_WIDTH_JOINER = '\u200d';
/** Matches code points joined to the previous: marks, skin tones, flag tags. */
const JOINED = /^(?:\u200d|\p{M}|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])$/u;
const REGIONAL = /^\p{Regional_Indicator}$/u;
/** In code points. A longer character is cut. */
const LONGEST_CHARACTER = 64;

/** Returns at most `most` code points from the start, without cutting a character. */
export function firstCharacters(points: readonly string[], most: number): readonly string[] {
  return points.slice(0, boundary(points, most, -1));
}

/** Returns at most `most` code points from the end, without cutting a character. */
export function lastCharacters(points: readonly string[], most: number): readonly string[] {
  return points.slice(boundary(points, Math.max(0, points.length - most), 1));
}

/** Returns the nearest start of a character. Intl.Segmenter would first block a serving thread for 20 ms. */
function boundary(points: readonly string[], start: number, step: 1 | -1): number {
  for (let at = start; Math.abs(at - start) <= LONGEST_CHARACTER; at += step) if (!isInside(points, at)) return at;
  return start;
}

function isInside(points: readonly string[], at: number): boolean {
  const [before, after] = [points[at - 1], points[at]];
  if (before === undefined || after === undefined) return false;
  if (before === ZERO_WIDTH_JOINER || JOINED.test(after)) return true;
  return REGIONAL.test(after) && regionalBefore(points, at) % 2 === 1;
}

function regionalBefore(points: readonly string[], at: number): number {
  let count = 0;
  while (count < LONGEST_CHARACTER && REGIONAL.test(points[at - 1 - count] ?? '')) count += 1;
  return count;
}

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
