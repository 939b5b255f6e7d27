import { hourOf, monthOf, nextMonthMs, toTimestamp } from '../../timestamp.ts';
import type { Db, Handlers } from '../sqlite/transaction.ts';

/** Where a workspace stands in the month of `wallMs`. `allowance` null: unlimited. */
export interface Standing {
  readonly allowance: number | null;
  readonly used: number;
}

export interface UsageCounters {
  standing(workspaceId: number, wallMs: number): Standing | undefined;
  /** Counts an event against its workspace's allowance, and in the statistics of its channel. */
  countEvent(event: { workspaceId: number; channelId: number; wallMs: number }): void;
}

/** The counters of events by workspace and calendar month. */
export function usageCounters(db: Db): UsageCounters {
  // Every event asks. Two look-ups take 1.7 µs, a join of the three tables 9.7.
  const standing = db.prepare<[string, number], Standing>(`
    SELECT
      (SELECT monthly_events FROM plan WHERE name = workspace.plan) AS allowance,
      coalesce((SELECT events FROM usage WHERE workspace_id = workspace.id AND month = ?), 0) AS used
    FROM workspace WHERE id = ?
  `);
  const count = db.prepare<[number, string]>(`
    INSERT INTO usage (workspace_id, month, events) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET events = events + 1
  `);
  const tally = db.prepare<[number, number, number]>(`
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
    VALUES (?, ?, ?, '', 'events', '', 1)
    ON CONFLICT DO UPDATE SET count = count + 1
  `);

  return {
    standing: (workspaceId, wallMs) => standing.get(monthOf(wallMs), workspaceId),
    countEvent({ workspaceId, channelId, wallMs }) {
      count.run(workspaceId, monthOf(wallMs));
      tally.run(hourOf(wallMs), workspaceId, channelId);
    },
  };
}

const MONTHS_SHOWN = 13;

export function usage(db: Db): Handlers<'readUsage'> {
  const byMonth = db.prepare<{ workspaceId: number; first: string }, { month: string; events: number }>(
    'SELECT month, events FROM usage WHERE workspace_id = :workspaceId AND month >= :first',
  );
  const counters = usageCounters(db);

  return {
    readUsage({ workspaceId }, { wallMs }) {
      const { allowance, used } = counters.standing(workspaceId, wallMs) ?? { allowance: null, used: 0 };
      const shown = Array.from({ length: MONTHS_SHOWN }, (_, index) => monthOf(wallMs, index));
      const first = monthOf(wallMs, MONTHS_SHOWN - 1);
      const counted = new Map(byMonth.all({ workspaceId, first }).map(({ month, events }) => [month, events]));
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
