import { hourOf, monthOf, nextMonthMs, toTimestamp } from '../../values/timestamp.ts';
import type { WorkspaceForecast } from '../calls/stats.ts';
import { ifGiven, type Sql } from '../sql.ts';

const DAY_MS = 86_400_000;
/** A week always contains a weekend. */
const LOOK_BACK_MS = 7 * DAY_MS;

interface UsageRow {
  readonly workspace: string;
  readonly allowance: number | null;
  readonly createdAtMs: number;
  readonly used: number;
  /** Events of seven days. */
  readonly recent: number;
}

/** Returns this month's use and forecast, of each workspace or one. */
export function forecasts(
  sql: Sql,
): (workspaceId: number | null, wallMs: number) => Promise<readonly WorkspaceForecast[]> {
  const usage = sql.all<{ workspaceId: number | null; month: string; fromMs: number }, UsageRow>(`
    SELECT workspace.slug AS workspace, plan.monthly_events AS allowance, created_at AS "createdAtMs",
      coalesce(usage.events, 0) AS used, coalesce(lately.events, 0) AS recent
    FROM workspace
    JOIN plan ON plan.name = workspace.plan
    LEFT JOIN usage ON usage.workspace_id = workspace.id AND usage.month = :month
    LEFT JOIN (
      SELECT workspace_id, sum(count) AS events FROM tally WHERE hour >= :fromMs AND measure = 'events' GROUP BY workspace_id
    ) AS lately ON lately.workspace_id = workspace.id
    WHERE ${ifGiven('workspaceId', 'workspace.id = :workspaceId')} ORDER BY workspace.slug
  `);
  return async (workspaceId, wallMs) => {
    const rows = await usage({ workspaceId, month: monthOf(wallMs), fromMs: hourOf(wallMs - LOOK_BACK_MS) });
    return rows.map((row) => forecast(row, wallMs));
  };
}

/** Forecasts young workspaces by their own life, at least a day. */
function forecast({ workspace, allowance, createdAtMs, used, recent }: UsageRow, wallMs: number): WorkspaceForecast {
  const seenMs = Math.min(LOOK_BACK_MS, Math.max(DAY_MS, wallMs - createdAtMs));
  const perMs = recent / seenMs;
  const leftMs = nextMonthMs(wallMs) - wallMs;
  const spentInMs = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used) / perMs;
  return {
    workspace,
    monthly_event_allowance: allowance,
    used,
    forecast: Math.round(used + perMs * leftMs),
    exhausted_at: spentInMs < leftMs ? toTimestamp(Math.round(wallMs + spentInMs)) : null,
  };
}
