import type { Logger } from 'pino';
import type { Clock } from '../process/clock.ts';
import { lruCache } from '../values/lru-cache.ts';
import type { Refused } from './request-state.ts';

const EVERY_MS = 1_000;
/** A guesser from more addresses than this is logged more often. */
const ADDRESSES = 10_000;

/**
 * Logs who was refused, for programs such as fail2ban, which shut such an address out: at most one line a second for
 * each. `refused` stands before `address`, which no client chooses, so no other line can be taken for one of these.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #reportedMs = lruCache<string, number>(ADDRESSES);

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  log(refused: Refused, address: string): void {
    const nowMs = this.#clock.steadyMs();
    if (nowMs - (this.#reportedMs.get(address) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.#reportedMs.set(address, nowMs);
    this.#log.warn({ refused, address });
  }
}
