import type { Logger } from 'pino';
import type { Clock } from '../process/clock.ts';
import { withoutWords } from '../process/problem.ts';
import { type StoreClient, StoreUnavailable } from '../store/calls.ts';
import { lruCache } from '../values/lru-cache.ts';
import { isUnexpected } from './errors.ts';
import type { Refused } from './request-state.ts';

const LOOK_EVERY_MS = 2_000;
/** Reasons of a closing store. */
const STOPPING = ['closing', 'closed'];

export interface FailureLogDeps {
  readonly store: Pick<StoreClient, 'proveWritable'>;
  readonly log: Logger;
}

/** Logs unexpected errors. The line of the request has the expected ones. */
export function failureLog(deps: FailureLogDeps): (requestId: string, error: unknown) => void {
  const outage = new StoreOutage(deps);
  return (requestId, error) => {
    if (error instanceof StoreUnavailable) outage.refused(requestId, error.reason);
    else if (isUnexpected(error)) deps.log.error({ requestId, error: withoutWords(error) }, 'unexpected error');
  };
}

/** Logs when the store begins to refuse and recovers, with the number refused. Logs each further reason once. */
class StoreOutage {
  readonly #deps: FailureLogDeps;
  readonly #reasons = new Set<string>();
  #refused = 0;

  constructor(deps: FailureLogDeps) {
    this.#deps = deps;
  }

  refused(requestId: string, reason: string): void {
    if (STOPPING.includes(reason)) return;
    const isFirst = this.#refused === 0;
    this.#refused += 1;
    if (!this.#reasons.has(reason)) this.#deps.log.warn({ requestId, reason }, 'the database cannot be written');
    this.#reasons.add(reason);
    if (isFirst) this.#lookLater();
  }

  #lookLater(): void {
    setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    try {
      await this.#deps.store.proveWritable({});
    } catch (error) {
      if (!(error instanceof StoreUnavailable && STOPPING.includes(error.reason))) this.#lookLater();
      return;
    }
    this.#deps.log.info({ refused: this.#refused }, 'the database can be written again');
    this.#refused = 0;
    this.#reasons.clear();
  }
}

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
