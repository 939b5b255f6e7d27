import { toTimestampOrNull } from '../../../values/timestamp.ts';
import { type Alert, type AlertFilter, isRefusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { eventOrder } from '../events/event-order.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { ALERTS, type AlertRow, IS_LIVE, IS_OPEN } from './alert-rows.ts';
import { type AskerParams, alertFinder, askerParams, isAskers } from './finding.ts';

type State = NonNullable<AlertFilter['state']>;

/** `:state` is one of these, or a state itself. */
const IN_STATE = `(
  alert.state = CAST(:state AS TEXT) OR CASE CAST(:state AS TEXT)
    WHEN 'live' THEN alert.state IN ('open', 'acknowledged') WHEN 'ended' THEN alert.state IN ('resolved', 'expired')
  END
)`;

/** `among`: a condition that narrows them down first. */
const pageOf = (among: string) => `${ALERTS}
  WHERE ${among} AND alert.event_id < CAST(:beforeId AS BIGINT) AND ${IN_STATE} AND ${isAskers('alert')}
    AND (CAST(:workspace AS TEXT) IS NULL OR workspace.slug = CAST(:workspace AS TEXT))
    AND (CAST(:channel AS TEXT) IS NULL OR channel.slug = CAST(:channel AS TEXT))
    AND (CAST(:collapseKey AS TEXT) IS NULL OR alert.collapse_key = CAST(:collapseKey AS TEXT))
  ORDER BY alert.event_id DESC LIMIT CAST(:limit AS BIGINT)`;

const COUNTS = `
  SELECT count(*) AS open, min(alert.opened_at) AS oldest FROM alert JOIN channel ON channel.id = alert.channel_id
  WHERE ${IS_OPEN}`;

interface PageParams extends AskerParams {
  readonly beforeId: number;
  readonly state: State;
  readonly workspace: string | null;
  readonly channel: string | null;
  readonly collapseKey: string | null;
  readonly limit: number;
}

export function alertReading(sql: Sql) {
  const ended = sql.all<PageParams, AlertRow>(pageOf("alert.state IN ('resolved', 'expired')"));
  const live = sql.all<PageParams, AlertRow>(pageOf(IS_LIVE));
  const counts = sql.get<object, { open: number; oldest: number | null }>(COUNTS);
  const alerts = alertFinder(sql);
  const find = lookups(sql);
  const { atOrBefore } = eventOrder(sql);

  return {
    async listAlerts({ workspace, channel, state = 'live', collapseKey, before, limit, ...asker }, now, actor) {
      if (workspace !== undefined) {
        const { userId } = asker;
        const known = await (userId === undefined
          ? find.workspace(workspace)
          : find.workspaceOf(userId, workspace, actor));
        if (isRefusal(known)) return known;
      }
      const beforeId = before === undefined ? Number.MAX_SAFE_INTEGER : await atOrBefore(before);
      if (beforeId === null) return badCursor('before');
      const rows = await (state === 'ended' ? ended : live)({
        ...{ beforeId, state, workspace: workspace ?? null, channel: channel ?? null, limit: limit + 1 },
        ...{ collapseKey: collapseKey ?? null, ...askerParams(asker, actor) },
      });
      const shown: Alert[] = [];
      for (const row of rows.slice(0, limit)) shown.push(await alerts.show(row, now));
      return { alerts: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },

    async showAlert(asked, now, actor) {
      const row = await alerts.find(asked, actor);
      return isRefusal(row) ? row : { alert: await alerts.show(row, now) };
    },

    async countAlerts() {
      const { open = 0, oldest = null } = (await counts({})) ?? {};
      return { open, oldest_opened_at: toTimestampOrNull(oldest) };
    },
  } satisfies SomeHandlers;
}
