import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Refused } from './request-state.ts';

const EVERY_MS = 1_000;
/** Who guesses from more addresses than this is told of more often. */
const ADDRESSES = 10_000;

/**
 * Logs who was refused, for programs such as fail2ban, which shut such an address out: at most one line a second for
 * each. `refused` stands before `address`, which nobody outside chooses, so no other line can be taken for one of these.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #toldMs = new LRUCache<string, number>({ max: ADDRESSES });

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  tell(refused: Refused, address: string): void {
    const nowMs = this.#clock.steadyMs();
    if (nowMs - (this.#toldMs.get(address) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.#toldMs.set(address, nowMs);
    this.#log.warn({ refused, address });
  }
}
