const ZERO_WIDTH_JOINER = '\u200d';
/** Matches code points joined to the previous: marks, skin tones, flag tags. */
const JOINED = /^(?:\u200d|\p{M}|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])$/u;
const REGIONAL = /^\p{Regional_Indicator}$/u;
/** In code points. A longer character is cut. */
const LONGEST = 64;

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
  for (let at = start; Math.abs(at - start) <= LONGEST; at += step) if (!isInside(points, at)) return at;
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
  while (count < LONGEST && REGIONAL.test(points[at - 1 - count] ?? '')) count += 1;
  return count;
}
