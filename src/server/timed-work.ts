import type { Logger } from 'pino';
import type { Relay } from '../delivery/relay.ts';
import type { After } from '../process/clock.ts';
import type { Topic } from '../store/call.ts';
import type { WatchTurn } from '../store/calls/alerts.ts';
import { type Round, StoreUnavailable } from '../store/calls.ts';
import type { ServingStore, StoreChanges } from '../store/client.ts';

export interface TimedWorkDeps {
  readonly store: Pick<StoreChanges, 'onTouched'>;
  readonly after: After;
  readonly log: Logger;
}

/** Work may wait by the wall clock, but timers run steadily: this notices in time that the clock was set forward. */
const LONGEST_REST_MS = 30_000;

/** Returns a `work` that does `carryOut` once `next` says that it is due. */
function byWallClock(
  next: () => Promise<{ readonly inMs: number | null }>,
  carryOut: () => Promise<unknown>,
): TimedWorkOptions['work'] {
  return async () => {
    const { inMs } = await next();
    if (inMs !== 0) return inMs && Math.min(inMs, LONGEST_REST_MS);
    await carryOut();
    return 0;
  };
}

interface TimedWorkOptions {
  /** The topic whose changes may make work due. */
  readonly topic: Topic;
  /** Does due work. Returns the ms to the next call; null: once the topic changes. */
  readonly work: () => Promise<number | null>;
  /** Logged if work throws, unless the store is unavailable. */
  readonly failed: string;
  /** Runs after a failure, and never rejects. */
  readonly onFailed?: () => Promise<void>;
  readonly againMs: number;
}

/**
 * Runs due work, one piece after the other; without work, not even a timer runs. All servers that share a store look,
 * and the store ensures that each piece is done once.
 */
export class TimedWork {
  readonly #deps: TimedWorkDeps;
  readonly #options: TimedWorkOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #isAtWork = false;
  /** Work may have become due during the current work. */
  #isWoken = false;

  constructor({ store, after, log }: TimedWorkDeps, options: TimedWorkOptions) {
    this.#deps = { store, after, log };
    this.#options = options;
  }

  start(): void {
    this.#deps.store.onTouched(this.#options.topic, () => this.wake());
    this.wake();
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#isAtWork && !this.#isStopped) void this.#work();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #work(): Promise<void> {
    this.#cancel();
    this.#isAtWork = true;
    this.#isWoken = false;
    const restMs = await this.#attempt();
    this.#isAtWork = false;
    if (this.#isStopped) return;
    if (this.#isWoken) void this.#work();
    else if (restMs !== null) this.#cancel = this.#deps.after(restMs, () => void this.#work());
  }

  async #attempt(): Promise<number | null> {
    const { work, failed, onFailed, againMs } = this.#options;
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable) return againMs;
      this.#deps.log.error({ err: error }, failed);
      await onFailed?.();
      return againMs;
    }
  }
}

/** Work by calls of the store. */
interface Deps<Call extends keyof ServingStore> extends TimedWorkDeps {
  readonly store: Pick<ServingStore, Call | 'onTouched'>;
}

/** After a failure of work that depends on no second. */
const AGAIN_MS = 10_000;
const AFTER_FAULT_MS = 5_000;

export function heartbeatWatch(deps: Deps<'tendHeartbeats'>): TimedWork {
  return new TimedWork(deps, {
    topic: 'heartbeats',
    failed: 'the check of heartbeats failed',
    againMs: AGAIN_MS,
    work: async () => (await deps.store.tendHeartbeats({})).nextInMs,
  });
}

/** Without `ring_after`, nothing is due sooner than a minute after an alert is opened, on any server. */
const LONGEST_BETWEEN_ROUNDS_MS = 30_000;
/** A first ring may be so late. */
const LEAST_REST_MS = 1_000;
const SHORTEST_REST_MS = 50;

interface AlertRoundsDeps extends Deps<'nextRound' | 'runRound'> {
  /** A person on call whose only route is paused cannot be reached. */
  readonly pauses?: Relay['pauses'];
  readonly onEnded?: (alerts: Round['ended']) => void;
}

/** Has the store remind of due open alerts. Rests while no channel insists and no alert lives. */
export function alertRounds({ store, pauses = () => [], onEnded, ...deps }: AlertRoundsDeps): TimedWork {
  let turn: WatchTurn | undefined;
  return new TimedWork(
    { store, ...deps },
    {
      topic: 'alerts',
      failed: 'the reminders of open alerts failed',
      againMs: AFTER_FAULT_MS,
      async work() {
        const paused = pauses().flatMap(({ route, pause }) => (pause === null ? [] : [route]));
        const { inMs, soonestMs, unheardIn = [], ...next } = await store.nextRound({ paused, ...(turn && { turn }) });
        turn = next.turn;
        const restMs = Math.min(
          Math.max(soonestMs ?? LONGEST_BETWEEN_ROUNDS_MS, LEAST_REST_MS),
          LONGEST_BETWEEN_ROUNDS_MS,
        );
        if (inMs === null) return soonestMs === null ? null : restMs;
        if (inMs > 0) return Math.min(inMs, restMs);
        const { ended } = await store.runRound({ paused, unheardIn });
        onEnded?.(ended);
        return SHORTEST_REST_MS;
      },
    },
  );
}

/** The most events that a bug may keep from being sent, until those behind them wait as well. */
const MOST_FAULTY = 100;

export function scheduledReleases(deps: Deps<'nextRelease' | 'releaseDue'>): TimedWork {
  const { store } = deps;
  return new TimedWork(deps, {
    topic: 'scheduled',
    failed: 'a scheduled event could not be queued at its time',
    againMs: AFTER_FAULT_MS,
    onFailed: () => releaseOthers(store),
    work: byWallClock(
      () => store.nextRelease({}),
      () => store.releaseDue({}),
    ),
  });
}

/** Releases one by one, so a failing event (a bug) stops no other. */
async function releaseOthers(store: Deps<'releaseDue'>['store']): Promise<void> {
  for (let skip = 0; skip < MOST_FAULTY; ) {
    try {
      const { released } = await store.releaseDue({ skip });
      if (released.length === 0) return;
    } catch (error) {
      if (error instanceof StoreUnavailable) return;
      skip += 1;
    }
  }
}

/** Hands rotas over. Rests while there is none. */
export function rotaHandovers(deps: Deps<'nextHandover' | 'handOver'>): TimedWork {
  const { store } = deps;
  return new TimedWork(deps, {
    topic: 'on_call',
    failed: 'the handover of a rota failed',
    againMs: AFTER_FAULT_MS,
    work: byWallClock(
      () => store.nextHandover({}),
      () => store.handOver({}),
    ),
  });
}

/** Nothing depends on the second, unless more is due than fits into a step. */
const SHORTEST_RECEIPT_REST_MS = 1_000;

/** Gives up late reports, and finds devices that are not showing. */
export function receiptWatch(deps: Deps<'missReceipts'>): TimedWork {
  return new TimedWork(deps, {
    topic: 'receipts',
    failed: 'reports of devices were not looked after',
    againMs: AGAIN_MS,
    async work() {
      const { nextInMs } = await deps.store.missReceipts({});
      return nextInMs === null || nextInMs === 0 ? nextInMs : Math.max(nextInMs, SHORTEST_RECEIPT_REST_MS);
    },
  });
}
