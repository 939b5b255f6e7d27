import type { Moment } from '../../process/clock.ts';
import { LEVELS, type Level, type Route } from '../../push.ts';
import type { StoredAlertPush } from '../handlers/alerts/push.ts';
import { shownName } from '../handlers/alerts/shown-name.ts';
import { REACHABLE_ROUTES, type Reached } from '../handlers/on-call/reachable.ts';
import type { StoreSettings } from '../settings.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

interface InsistingEvent {
  readonly channelId: number;
  readonly level: Level;
  readonly ringAfterS: number;
  /** null: it rings for everyone at once. */
  readonly widenAfterS: number | null;
}

/** The person on call, as an event finds them. */
export interface FoundOnCall {
  /** Their id; null: they are not reachable, so it rings for everyone. */
  readonly rings: number | null;
  readonly manner: Pick<StoredAlertPush, 'onCall' | 'isUnreachable'>;
  /** When a new alert rings for everyone. */
  readonly widenAtMs: number;
}

/** Finds whether an event may ring for one person alone. Same rules: `update_alert` (PostgreSQL). */
export function onCallFinder(db: Db, { routes }: Pick<StoreSettings, 'routes'>) {
  const sql = sqlOver(db);
  const personOf = sql.get<{ id: number }, { name: string; email: string }>(
    'SELECT name, email FROM person WHERE id = :id',
  );
  const reachableRoutes = sql.values<Reached, Route>(REACHABLE_ROUTES);
  const wideTo = sql.value<{ channelId: number }, number | null>(
    'SELECT wide_to FROM insisting WHERE channel_id = :channelId',
  );

  return {
    onCallOf(event: InsistingEvent, personId: number, { wallMs, steadyMs }: Moment): FoundOnCall | null {
      const { channelId, ringAfterS, widenAfterS } = event;
      const person = personOf({ id: personId });
      if (widenAfterS === null || person === undefined) return null;
      const onCall = shownName(person);
      const asked = { personId, channelId, level: LEVELS.indexOf(event.level), wallMs };
      // Nobody is asked to hear an alert that does not ring yet.
      const isReachable = ringAfterS > 0 || reachableRoutes(asked).some((route) => routes.includes(route));
      return isReachable
        ? { rings: personId, manner: { onCall }, widenAtMs: steadyMs + 1000 * (ringAfterS + widenAfterS) }
        : { rings: null, manner: { onCall, isUnreachable: true }, widenAtMs: steadyMs };
    },

    /** Tells whether an alert rings only for the person on call. */
    isNarrow({ channelId }: InsistingEvent, widenAtMs: number | null, { steadyMs }: Moment): boolean {
      return widenAtMs !== null && widenAtMs > steadyMs && widenAtMs > (wideTo({ channelId }) ?? 0);
    },
  };
}
