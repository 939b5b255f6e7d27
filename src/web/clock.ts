import { Shared } from './shared.ts';

/** The difference between two clocks that nobody notices. The `Date` header has only whole seconds. */
const SLACK_MS = 2_000;
/** Responses with a longer round trip are ignored: they say too little about the time. */
const LONGEST_TRIP_MS = 4_000;
/** The mean of the part of a second that `Date` leaves out. */
const HALF_SECOND_MS = 500;

/** Milliseconds that the server's clock is ahead of the browser's, which may be an hour off; 0: too few to matter. */
let aheadMs = 0;

/** The time that "3 min ago" is relative to. It follows the server's clock, like all times that the app shows. */
export const nowMs = new Shared(browserNow());

/** Returns the time by the server's clock. */
export function serverNow(): number {
  return browserNow() + aheadMs;
}

/** Returns the time by the browser's clock, for `learnTime` and for times that the worker took from the same clock. */
export function browserNow(): number {
  return Date.now();
}

/** Updates `nowMs`, so that nothing just loaded lies in the future. */
export function tick(): void {
  nowMs.value = serverNow();
}

/** Tells whether a time is in the future. A time that is ahead by less than the slack has just happened. */
export function isAhead(atMs: number, ofMs: number): boolean {
  return atMs - ofMs > SLACK_MS;
}

/**
 * Learns the time from a response of the API. `askedMs` and `answeredMs`: the browser's time at both ends of the round
 * trip.
 */
export function learnTime(headers: Pick<Headers, 'get'>, askedMs: number, answeredMs: number): void {
  const before = aheadMs;
  aheadMs = aheadAfter(before, headers, askedMs, answeredMs);
  // Lists of thousands of rows show nothing new within a second.
  if (aheadMs !== before || Math.abs(serverNow() - nowMs.value) > 1_000) tick();
}

/** Returns how far the server is ahead, measured at the middle of the round trip. `before`: the last known value. */
export function aheadAfter(before: number, headers: Pick<Headers, 'get'>, askedMs: number, answeredMs: number): number {
  const atMs = Date.parse(headers.get('Date') ?? '');
  const tripMs = answeredMs - askedMs;
  // A response with an age comes from a cache, so its date is too old.
  if (Number.isNaN(atMs) || headers.get('Age') !== null || tripMs < 0 || tripMs > LONGEST_TRIP_MS) return before;
  const aheadMs = atMs + HALF_SECOND_MS - (askedMs + answeredMs) / 2;
  if (Math.abs(aheadMs - before) <= SLACK_MS) return before;
  return Math.abs(aheadMs) > SLACK_MS ? aheadMs : 0;
}
