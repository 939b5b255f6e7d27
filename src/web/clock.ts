import { Shared } from './shared.ts';

/** By so much clocks may disagree without anybody noticing; the header of a response has seconds alone. */
const SLACK_MS = 2_000;
/** After a longer round trip the answer says too little. */
const LONGEST_TRIP_MS = 4_000;
/** `Date` leaves out the part of the second that has passed. */
const HALF_SECOND_MS = 500;

/** By how much the server's clock is ahead of the browser's, which may be an hour off; 0: by nothing that matters. */
let aheadMs = 0;

/** The time that "3 min ago" is said of: the server's, as all times that are shown are of its clock. */
export const nowMs = new Shared(browserNow());

/** Returns the time now by the server's clock. */
export function serverNow(): number {
  return browserNow() + aheadMs;
}

/** Returns the time now by the browser's clock, for `learnTime`, and for what the worker has dated by the same clock. */
export function browserNow(): number {
  return Date.now();
}

/** Brings `nowMs` up to date. What has just been loaded is not ahead of it. */
export function tick(): void {
  nowMs.value = serverNow();
}

/** Whether a time is still to come. What is ahead by less has just happened. */
export function isAhead(atMs: number, ofMs: number): boolean {
  return atMs - ofMs > SLACK_MS;
}

/** Learns from a response of the API. `askedMs` and `answeredMs`: the browser's time at both ends of the round trip. */
export function learnTime(headers: Pick<Headers, 'get'>, askedMs: number, answeredMs: number): void {
  const before = aheadMs;
  aheadMs = aheadAfter(before, headers, askedMs, answeredMs);
  // Lists of thousands say nothing else within a second.
  if (aheadMs !== before || Math.abs(serverNow() - nowMs.value) > 1_000) tick();
}

/** Returns by how much the server is ahead, by the middle of the round trip. `before`: what was known. */
export function aheadAfter(before: number, headers: Pick<Headers, 'get'>, askedMs: number, answeredMs: number): number {
  const atMs = Date.parse(headers.get('Date') ?? '');
  const tripMs = answeredMs - askedMs;
  // What has an age was kept somewhere on its way.
  if (Number.isNaN(atMs) || headers.get('Age') !== null || tripMs < 0 || tripMs > LONGEST_TRIP_MS) return before;
  const aheadMs = atMs + HALF_SECOND_MS - (askedMs + answeredMs) / 2;
  if (Math.abs(aheadMs - before) <= SLACK_MS) return before;
  return Math.abs(aheadMs) > SLACK_MS ? aheadMs : 0;
}
