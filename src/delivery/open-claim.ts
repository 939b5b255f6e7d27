import type { Claim } from '../store/calls.ts';

/** A claim that is out. `askedAtMs`: when it was asked for, by the relay's steady clock, so a little before it was made. */
export interface OpenClaim extends Claim {
  readonly askedAtMs: number;
}

/** What is left of the life of the event at this place of the claim; not above 0: nothing. */
export function leftMs({ events, askedAtMs }: OpenClaim, place: number, steadyMs: number): number {
  return (events[place]?.leftMs ?? 0) - (steadyMs - askedAtMs);
}
