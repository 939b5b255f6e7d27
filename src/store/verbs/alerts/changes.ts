import type { Moment } from '../../../clock.ts';
import { type Actor, type AlertAsker, isRefusal, type Refusal } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { lookups } from '../lookups.ts';
import type { EngineDeps, Verbs } from '../verb.ts';
import type { AlertRow } from './alert-rows.ts';
import { alertAudit } from './audit.ts';
import { alertEnds } from './ends.ts';
import { alertFinder } from './finding.ts';
import { IDLE_MS } from './lives.ts';
import { TOLD, type ToldAlert, telling } from './telling.ts';

/** One condition decides who is first. */
const ACKNOWLEDGE = `
  UPDATE alert SET state = 'acknowledged', acknowledged_kind = :kind, acknowledged_by = :name, acknowledged_at = :wallMs,
    snoozed_until = CAST(:snoozedUntilMs AS BIGINT), escalate_at = NULL, due_at = :dueAtMs
  WHERE state = 'open' AND channel_id = :channelId AND event_id <= :id AND event_id >= :fromId
  RETURNING event_id`;

/** Of one that is acknowledged already. */
const SNOOZE = `
  UPDATE alert SET snoozed_until = :snoozedUntilMs, due_at = :snoozedUntilMs
  WHERE event_id = :id AND state = 'acknowledged'`;

/** A member, a key, or an operator, and the name that others see. */
interface Who {
  readonly kind: 'member' | 'key' | 'operator';
  readonly name: string;
}

export function alertChanges(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>): Verbs<'acknowledgeAlert' | 'resolveAlert'> {
  const acknowledge = sql.values<object, number>(ACKNOWLEDGE);
  const snooze = sql.run<{ id: number; snoozedUntilMs: number }>(SNOOZE);
  const nameOfUser = sql.value<{ id: number }, string>('SELECT name FROM person WHERE id = :id');
  const nameOfKey = sql.value<{ id: string }, string>('SELECT name FROM api_key WHERE id = :id');
  const told = sql.get<{ id: number }, ToldAlert>(`${TOLD} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const alerts = alertFinder(sql);
  const ends = alertEnds(sql);
  const tell = telling(sql, deps);
  const record = alertAudit(sql);
  const find = lookups(sql);

  async function whoIs({ userId }: AlertAsker, as: string | undefined, row: AlertRow, actor: Actor | undefined) {
    if (actor?.kind === 'key') return { kind: 'key', name: (await nameOfKey({ id: actor.id })) ?? actor.id } as const;
    if (userId !== undefined) return { kind: 'member', name: (await nameOfUser({ id: userId })) ?? '' } as const;
    if (as === undefined) return { kind: 'operator', name: actor?.name ?? 'pushctl' } as const;
    const member = await find.userIn(row.workspace, as);
    return isRefusal(member) ? member : ({ kind: 'member', name: member.name } as const);
  }

  async function noticeOf(id: number, text: string, count: number, now: Moment): Promise<void> {
    const alert = await told({ id });
    if (alert !== undefined) await tell.notice(alert, text, count, now);
  }

  /** The audit log has what members and operators change by their calls; keys leave their entries here. */
  async function recordOfKey(action: string, row: AlertRow, actor: Actor | undefined, now: Moment): Promise<void> {
    if (actor?.kind === 'key') await record(action, row, now, '', `key ${actor.id}`);
  }

  async function shownAgain(row: AlertRow, now: Moment) {
    return alerts.show((await alerts.byId(row.id)) ?? row, now);
  }

  async function found(
    { publicId, as, ...asker }: AlertAsker & { publicId: string; as?: string },
    actor: Actor | undefined,
  ): Promise<{ row: AlertRow; who: Who } | Refusal> {
    const row = await alerts.find({ publicId, ...asker }, actor);
    if (isRefusal(row)) return row;
    const who = await whoIs(asker, as, row, actor);
    return isRefusal(who) ? who : { row, who };
  }

  return {
    async acknowledgeAlert({ forS, all = false, ...asked }, now, actor) {
      const its = await found(asked, actor);
      if (isRefusal(its)) return its;
      const { row, who } = its;
      const { id, channelId } = row;
      const { wallMs, steadyMs } = now;
      const snoozedUntilMs = forS === undefined ? null : steadyMs + 1000 * forS;
      const dueAtMs = snoozedUntilMs ?? steadyMs + IDLE_MS;
      const taken = await acknowledge({ ...who, wallMs, snoozedUntilMs, dueAtMs, channelId, id, fromId: all ? 0 : id });
      for (const one of taken) await ends.withdraw(one, now);
      if (snoozedUntilMs !== null && !taken.includes(id)) await snooze({ id, snoozedUntilMs });
      if (taken.length > 0) {
        const text = `${who.name} has ${taken.length === 1 ? 'it' : 'them'}.`;
        await noticeOf(Math.max(...taken), text, taken.length, now);
        await recordOfKey('alert.acknowledge', row, actor, now);
      }
      return { alert: await shownAgain(row, now), acknowledged: taken.length };
    },

    async resolveAlert(asked, now, actor) {
      const its = await found(asked, actor);
      if (isRefusal(its)) return its;
      const { row, who } = its;
      const resolved = await ends.end(row.id, 'resolved', who, now);
      if (resolved) {
        await noticeOf(row.id, `${who.name} has resolved it.`, 1, now);
        await recordOfKey('alert.resolve', row, actor, now);
      }
      return { alert: await shownAgain(row, now), resolved };
    },
  };
}
