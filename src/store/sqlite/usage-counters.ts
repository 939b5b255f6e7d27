import { hourOf, monthOf } from '../../values/timestamp.ts';
import { MONTHLY_USE, type MonthlyUse } from '../handlers/usage.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

export interface UsageCounters {
  monthlyUse(workspaceId: number, wallMs: number): MonthlyUse | undefined;
  /** Counts an event against the workspace's allowance, and in channel statistics. */
  countEvent(event: { workspaceId: number; channelId: number; wallMs: number }): void;
}

export function usageCounters(db: Db): UsageCounters {
  const readUse = sqlOver(db).get<{ workspaceId: number; month: string }, MonthlyUse>(MONTHLY_USE);
  const count = db.prepare<[number, string]>(`
    INSERT INTO usage (workspace_id, month, events) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET events = events + 1
  `);
  const countHour = db.prepare<[number, number, number]>(`
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
    VALUES (?, ?, ?, '', 'events', '', 1)
    ON CONFLICT DO UPDATE SET count = count + 1
  `);

  return {
    monthlyUse: (workspaceId, wallMs) => readUse({ workspaceId, month: monthOf(wallMs) }),
    countEvent({ workspaceId, channelId, wallMs }) {
      count.run(workspaceId, monthOf(wallMs));
      countHour.run(hourOf(wallMs), workspaceId, channelId);
    },
  };
}
