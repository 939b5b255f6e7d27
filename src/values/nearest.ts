import { distance } from 'fastest-levenshtein';

/** Longer than any name, so never a misspelling. */
const LONGEST_NAME = 255;

/** Returns the probably meant candidate, or null. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  if (name.length > LONGEST_NAME) return null;
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
  }
  return best;
}
