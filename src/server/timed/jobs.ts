import type { Relay } from '../../delivery/relay.ts';
import type { WatchTurn } from '../../store/calls/alerts.ts';
import { type Round, StoreUnavailable } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { byWallClock, TimedWork, type TimedWorkDeps } from './timed-work.ts';

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
const LONGEST_REST_MS = 30_000;
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
        const restMs = Math.min(Math.max(soonestMs ?? LONGEST_REST_MS, LEAST_REST_MS), LONGEST_REST_MS);
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
