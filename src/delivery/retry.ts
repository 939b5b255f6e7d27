import type { Logger } from 'pino';
import { type Outcome, type Target, unreachable } from '../push.ts';
import { StoreUnavailable, type Verdict } from '../store/calls.ts';

/** The paces of `[delivery]`: waits double from the first to the maximum. */
export interface RetryPolicy {
  readonly retryFirstMs: number;
  readonly retryBusyFirstMs: number;
  readonly retryMaxMs: number;
}

export interface Tried {
  readonly outcome: Outcome;
  /** `attempts`: tries before this one. */
  readonly target: Target;
  readonly leftMs: number;
}

/**
 * Returns an outcome's verdict. `random` returns 0 to 1. No push waits beyond the event's time to live; then it is due
 * and expires.
 */
export function verdictOf({ outcome, target, leftMs }: Tried, policy: RetryPolicy, random: () => number): Verdict {
  const { token, attempts } = target;
  const retryIn = (waitMs: number) => Math.max(0, Math.min(waitMs, leftMs));
  switch (outcome.kind) {
    case 'accepted':
      return { state: 'accepted', ...(isNew(target) && { token }), ...keptFor(outcome) };
    case 'rejected':
      return { state: 'failed', reason: outcome.reason };
    case 'unregistered':
      return { state: 'unregistered', reason: outcome.reason, token, atMs: outcome.atMs ?? null };
    case 'held': {
      const { reason, isSent, retryAfterS = 0 } = outcome;
      // A device accepted before gets time until its next refusal is believed.
      const graceMs = target.wasAccepted ? policy.retryBusyFirstMs : 0;
      const waitMs = Math.min(Math.max(graceMs, retryAfterS * 1000), policy.retryMaxMs);
      return { state: 'held', reason, token, retryInMs: retryIn(waitMs), spent: isSent };
    }
    case 'deferred': {
      const firstMs = outcome.pace === 'busy' ? policy.retryBusyFirstMs : policy.retryFirstMs;
      const waitMs = waitOf(firstMs, attempts, policy.retryMaxMs, outcome.retryAfterS, random);
      return { state: 'pending', reason: outcome.reason, retryInMs: retryIn(waitMs), spent: true };
    }
    case 'unavailable':
    case 'unauthorized':
    case 'recalled':
      return { state: 'pending', reason: outcome.reason, retryInMs: 0, spent: false };
    default:
      return unreachable(outcome);
  }
}

function keptFor({ keptS }: Extract<Outcome, { kind: 'accepted' }>): { readonly keptS?: number } {
  return keptS === undefined ? {} : { keptS };
}

/** Tells whether an acceptance changes the device's row. */
function isNew({ wasAccepted, isQuarantined }: Target): boolean {
  return !wasAccepted || isQuarantined;
}

/** Tells whether the push was not sent, or the provider did not look at it: it is due again at once. */
export function isUnspent({ kind }: Outcome): boolean {
  return kind === 'unavailable' || kind === 'unauthorized' || kind === 'recalled';
}

/**
 * Returns exponential backoff with full jitter: `firstMs` doubled for each earlier try, at most `maxMs`. It is at least
 * a fifth of `firstMs`, which keeps the slow pace above the ten seconds that Google asks for. `Retry-After` replaces
 * the doubled wait.
 */
export function waitOf(
  firstMs: number,
  earlier: number,
  maxMs: number,
  retryAfterS: number | undefined,
  random: () => number,
): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.min(earlier, 30));
  const waitMs = retryAfterS === undefined ? random() * ceilingMs : namedWaitMs(retryAfterS, random);
  return Math.round(Math.max(Math.min(firstMs / 5, maxMs), waitMs));
}

/**
 * Returns the wait to the next probe: once to twice `retryFirstMs`, however often the route failed, so pushes go out
 * soon after a recovery. `Retry-After` may lengthen it.
 */
export function probeWaitOf(
  { retryFirstMs }: Pick<RetryPolicy, 'retryFirstMs'>,
  retryAfterS: number | undefined,
  random: () => number,
): number {
  return Math.round(Math.max(retryFirstMs * (1 + random()), namedWaitMs(retryAfterS ?? 0, random)));
}

/** Adds up to a tenth of jitter: `Retry-After` is a minimum. */
function namedWaitMs(retryAfterS: number, random: () => number): number {
  return retryAfterS * 1000 * (1 + random() / 10);
}

/**
 * Calls the store. After an unexpected error, retries once with `isCareful`: an event that fails again becomes a dead
 * letter, others go on. Rejects like the retry.
 */
export async function retryCarefully<T>(log: Logger, call: (isCareful: boolean) => Promise<T>): Promise<T> {
  try {
    return await call(false);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    log.error(
      { err: error },
      'an event could not be processed; if the retry fails as well, it becomes a dead letter. See pushctl doctor, and please report this',
    );
    return call(true);
  }
}
