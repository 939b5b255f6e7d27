import { Shared } from './shared.ts';

/** A negligible difference of clocks. The `Date` header has whole seconds. */
const SLACK_MS = 2_000;
/** Longer round trips say too little about the time. */
const LONGEST_TRIP_MS = 4_000;
/** The mean fraction of a second that `Date` omits. */
const HALF_SECOND_MS = 500;

/** How far the server's clock is ahead, in ms; 0: too little to matter. */
let aheadMs = 0;

/** The time for "3 min ago", by the server's clock like all shown times. */
export const nowMs = new Shared(browserNow());

export function serverNow(): number {
  return browserNow() + aheadMs;
}

/** Returns the browser's time, for `learnTime` and times from the worker. */
export function browserNow(): number {
  return Date.now();
}

/** Updates `nowMs`: new data is never in the future. */
export function tick(): void {
  nowMs.value = serverNow();
}

/** Tells whether a time is in the future, beyond the slack. */
export function isAhead(atMs: number, ofMs: number): boolean {
  return atMs - ofMs > SLACK_MS;
}

/** Learns the time from a response. `askedMs`, `answeredMs`: browser time around the round trip. */
export function learnTime(headers: Pick<Headers, 'get'>, askedMs: number, answeredMs: number): void {
  const before = aheadMs;
  aheadMs = aheadAfter(before, headers, askedMs, answeredMs);
  // Long lists show nothing new within a second.
  if (aheadMs !== before || Math.abs(serverNow() - nowMs.value) > 1_000) tick();
}

/** Returns the server's lead at the middle of the round trip. `before`: the last known. */
export function aheadAfter(before: number, headers: Pick<Headers, 'get'>, askedMs: number, answeredMs: number): number {
  const atMs = Date.parse(headers.get('Date') ?? '');
  const tripMs = answeredMs - askedMs;
  // A response with an age is cached, so its date is old.
  if (Number.isNaN(atMs) || headers.get('Age') !== null || tripMs < 0 || tripMs > LONGEST_TRIP_MS) return before;
  const aheadMs = atMs + HALF_SECOND_MS - (askedMs + answeredMs) / 2;
  if (Math.abs(aheadMs - before) <= SLACK_MS) return before;
  return Math.abs(aheadMs) > SLACK_MS ? aheadMs : 0;
}
