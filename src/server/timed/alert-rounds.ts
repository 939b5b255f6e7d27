import type { Relay } from '../../delivery/relay.ts';
import type { WatchTurn } from '../../store/calls/alerts.ts';
import type { Round } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork, type TimedWorkDeps } from './timed-work.ts';

/** Without `ring_after`, nothing is due sooner than a minute after an alert is opened, on any server. */
const LONGEST_REST_MS = 30_000;
/** A first ring may be so late. */
const LEAST_REST_MS = 1_000;
const SHORTEST_REST_MS = 50;
const AFTER_FAULT_MS = 5_000;

export interface AlertRoundsDeps extends TimedWorkDeps {
  readonly store: Pick<ServingStore, 'nextRound' | 'runRound' | 'onTouched'>;
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
