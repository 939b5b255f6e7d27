import { systemClock } from '../process/clock.ts';
import { entryUrl } from '../process/entry-points.ts';
import { type ErrorTrace, OperatorProblem } from '../process/problem.ts';
import type { OnEarly, SendLimits } from '../providers/provider.ts';
import { allAs } from '../providers/sending.ts';
import { newDeskName, openTokenDesk } from '../providers/signing/token-desk.ts';
import { TokenKeeper, type Tokens } from '../providers/signing/tokens.ts';
import type { ProviderSettings } from '../providers/table.ts';
import type { Batch, Route, Sent } from '../push.ts';
import { Generation } from './generation.ts';
import { BATCHES_A_THREAD } from './limits.ts';

export interface Pool {
  /**
   * Sends a batch once, and resolves with an outcome per target. `onEarly` gets those known before slow ones, also in
   * the result. Never rejects: a lost thread is an outcome.
   */
  send(batch: Batch, onEarly?: OnEarly): Promise<readonly Sent[]>;
  /**
   * Replaces the threads by some with these settings; batches in flight end on the old ones. Rejects, changing nothing,
   * if the new threads do not start.
   */
  reload(settings: ProviderSettings): Promise<void>;
  /** Tells whether a thread answers, starting new ones if none is left. */
  isAlive(): Promise<boolean>;
  /** Waits for starting threads, and at most `graceMs` (absent: without limit) for batches in flight. */
  close(graceMs?: number): Promise<void>;
  /** Open connections to the route's provider, over all threads, as of half a second ago. */
  connections(route: Route): number;
  readonly stats: PoolStats;
}

interface PoolStats {
  /** Threads that run. */
  readonly threads: number;
  /** The most batches in flight. */
  readonly capacity: number;
  readonly inFlight: number;
}

export interface PoolOptions {
  readonly settings: ProviderSettings;
  /** The most threads. */
  readonly threads: number;
  /** The time after which a thread without batches ends, unless it is the last one. */
  readonly idleMs?: number;
  /** Signs for all threads; absent: the pool's own. */
  readonly tokens?: Tokens;
  /** Replaces the providers' own limits. Used by tests only. */
  readonly limits?: Partial<SendLimits>;
  /** The time after which a batch is given up, its outcomes unknown, and the threads are replaced. */
  readonly deadlineMs?: number;
  /** After this time the first thread is given up if it did not answer. */
  readonly startDeadlineMs?: number;
  readonly worker?: URL;
  /** Called with threads' exceptions and causes of death. */
  readonly onError?: (error: ErrorTrace) => void;
}

/** The deadline for threads that hang; other batches end within twice the deadline of a send. */
const DEADLINE_MS = 90_000;
/** Loading providers' libraries takes a second, far longer under load. */
const START_DEADLINE_MS = 90_000;
const RESTART_DEADLINE_MS = 20_000;
/** A start costs as much CPU as some thousand pushes, and a thread 20 MB. */
const IDLE_MS = 600_000;

/** Rejects if the first thread does not start. */
export async function openPool(options: PoolOptions): Promise<Pool> {
  const {
    threads,
    idleMs = IDLE_MS,
    deadlineMs = DEADLINE_MS,
    limits = {},
    worker = entryUrl('delivery/worker'),
    onError = () => {},
    tokens = new TokenKeeper(systemClock()),
  } = options;
  const desk = newDeskName();
  const closeDesk = openTokenDesk(desk, tokens);
  const { startDeadlineMs = START_DEADLINE_MS } = options;
  const start = async (now: ProviderSettings, startsWithinMs = RESTART_DEADLINE_MS) => {
    const data = { settings: now, limits, desk };
    const generation = await Generation.start(data, { threads, idleMs, worker, onError }, startsWithinMs);
    if (generation === null) throw notStarted(startsWithinMs);
    return generation;
  };
  let settings = options.settings;
  let current = await start(settings, startDeadlineMs).catch((error: unknown) => {
    closeDesk();
    throw error;
  });
  let renewing: Promise<void> | null = null;
  const retiring = new Set<Generation>();

  return {
    async send(batch, onEarly) {
      if (current.threads === 0) await renew();
      const generation = current;
      const sent = await generation.run(batch, deadlineMs, onEarly);
      if (sent !== null) return sent;
      // The cause is unknown, so the threads send nothing more of this batch, and are replaced.
      batch.revoked.fill(1);
      if (generation === current) void renew();
      return allAs(batch, 'worker_lost');
    },
    async reload(changed) {
      while (renewing) await renewing;
      await replaceWith(changed);
    },
    async isAlive() {
      if (current.threads === 0) await renew();
      return current.isAnswering();
    },
    async close(graceMs) {
      await renewing;
      await Promise.all([...retiring, current].map((generation) => generation.retire(graceMs)));
      closeDesk();
    },
    connections(route) {
      return [...retiring, current].reduce((sum, generation) => sum + generation.connections(route), 0);
    },
    get stats() {
      const capacity = threads * BATCHES_A_THREAD;
      return { threads: current.threads, capacity, inFlight: current.inFlight };
    },
  };

  /** Replaces dead or hanging threads. After a failure, batches are lost and the next one retries. */
  function renew(): Promise<void> {
    return renewing ?? replaceWith(settings).catch(() => {});
  }

  /** Rejects without changes if the threads do not start. */
  function replaceWith(wanted: ProviderSettings): Promise<void> {
    const replaced = start(wanted).then((fresh) => {
      const old = current;
      settings = wanted;
      current = fresh;
      retiring.add(old);
      void old.retire().then(() => retiring.delete(old));
    });
    renewing = replaced
      .catch(() => {})
      .finally(() => {
        renewing = null;
      });
    return replaced;
  }
}

function notStarted(deadlineMs: number): OperatorProblem {
  return new OperatorProblem(`the delivery thread did not start within ${deadlineMs / 1_000} seconds.`, 1, {
    advice: 'The machine is overloaded or short of memory. Free resources, then start pushctl again.',
  });
}
