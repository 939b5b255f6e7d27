import { monthOf, nextMonthMs, toTimestamp } from '../../timestamp.ts';
import type { Sql } from '../sql.ts';
import type { Verbs } from './verb.ts';

/** Where a workspace stands in the month of `wallMs`. `allowance` null: unlimited. */
export interface Standing {
  readonly allowance: number | null;
  readonly used: number;
}

// Every event asks. Two look-ups take 1.7 µs, a join of the three tables 9.7.
export const STANDING = `
  SELECT
    (SELECT monthly_events FROM plan WHERE name = workspace.plan) AS allowance,
    coalesce((SELECT events FROM usage WHERE workspace_id = workspace.id AND month = :month), 0) AS used
  FROM workspace WHERE id = :workspaceId`;

export type Standings = (workspaceId: number, wallMs: number) => Promise<Standing | undefined>;

export function standings(sql: Sql): Standings {
  const standing = sql.get<{ workspaceId: number; month: string }, Standing>(STANDING);
  return async (workspaceId, wallMs) => standing({ workspaceId, month: monthOf(wallMs) });
}

const MONTHS_SHOWN = 13;

export function usage(sql: Sql): Verbs<'readUsage'> {
  const byMonth = sql.all<{ workspaceId: number; first: string }, { month: string; events: number }>(
    'SELECT month, events FROM usage WHERE workspace_id = :workspaceId AND month >= :first',
  );
  const standing = standings(sql);

  return {
    async readUsage({ workspaceId }, { wallMs }) {
      const { allowance, used } = (await standing(workspaceId, wallMs)) ?? { allowance: null, used: 0 };
      const shown = Array.from({ length: MONTHS_SHOWN }, (_, index) => monthOf(wallMs, index));
      const first = monthOf(wallMs, MONTHS_SHOWN - 1);
      const counted = new Map((await byMonth({ workspaceId, first })).map(({ month, events }) => [month, events]));
      return {
        monthly_event_allowance: allowance,
        used,
        remaining: allowance === null ? null : Math.max(0, allowance - used),
        resets_at: toTimestamp(nextMonthMs(wallMs)),
        months: shown.map((month) => ({ month, events: counted.get(month) ?? 0 })),
      };
    },
  };
}
