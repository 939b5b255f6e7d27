import type { Logger } from 'pino';
import type { Clock } from '../process/clock.ts';
import { lruCache } from '../values/lru-cache.ts';
import type { Refused } from './request-state.ts';

const EVERY_MS = 1_000;
/** Guessers from more addresses are logged more often. */
const ADDRESSES = 10_000;

/**
 * Logs refused addresses for programs such as fail2ban, at most once a second each. `refused` precedes `address`, which
 * no client chooses: lines cannot be forged.
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
