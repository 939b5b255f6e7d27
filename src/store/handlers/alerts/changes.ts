import type { Moment } from '../../../process/clock.ts';
import { type Actor, type AlertAsker, isRefusal, type Refusal } from '../../calls.ts';
import { invalidField } from '../../refusals.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { keyEndings } from '../keys/endings.ts';
import { lookups } from '../lookups.ts';
import { STEP_ROWS } from '../retention/purges.ts';
import type { AlertRow } from './alert-rows.ts';
import { alertAudit } from './audit.ts';
import { alertEnds, EXPIRE_OPEN, EXPIRE_SNOOZED } from './ends.ts';
import { alertFinder } from './finding.ts';
import { alertMarks } from './marks.ts';
import { NOTIFIED, type NotifiedAlert, notifying } from './notifying.ts';
import { shownName } from './shown-name.ts';

/** Of one that is acknowledged already. */
const SNOOZE = `
  UPDATE alert SET snoozed_until = :snoozedUntilMs, due_at = :snoozedUntilMs, set_at = :steadyMs
  WHERE event_id = :id AND state = 'acknowledged'`;

/** Events of one gesture, in a storm, in all channels that its alerts have reached. */
const MOST_NOTICES = 20;

const LEAST_FOR_S = 300;
const MOST_FOR_S = 86_400;
const NOT_SO_LONG = {
  field: 'for',
  message: `The for field must be a whole number of seconds from ${LEAST_FOR_S} to ${MOST_FOR_S}.`,
};

interface Part {
  readonly wallMs: number;
  readonly limit: number;
}

const someOf = (table: string, key: string) =>
  `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT CAST(:limit AS BIGINT))`;

/** A member, a key, or an operator, and the name that others see. */
interface Who {
  readonly kind: 'member' | 'key' | 'operator';
  readonly name: string;
}

export function alertChanges(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const snooze = sql.run<{ id: number; snoozedUntilMs: number; steadyMs: number }>(SNOOZE);
  const emailOf = sql.value<{ id: number }, string>('SELECT email FROM person WHERE id = :id');
  const nameOfKey = sql.value<{ id: string }, string>('SELECT name FROM api_key WHERE id = :id');
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const expireOpen = sql.run<Part>(EXPIRE_OPEN);
  const expireSnoozed = sql.run<Part>(EXPIRE_SNOOZED);
  const forgetInsisting = sql.run<Part>(someOf('insisting', 'channel_id'));
  const forgetMessages = sql.run<Part>(someOf('webhook_message', 'id'));
  const alerts = alertFinder(sql);
  const ends = alertEnds(sql);
  const marks = alertMarks(sql);
  const notify = notifying(sql, deps);
  const record = alertAudit(sql);
  const find = lookups(sql);
  const keyMay = keyEndings(sql);

  async function whoIs({ userId }: AlertAsker, as: string | undefined, row: AlertRow, actor: Actor | undefined) {
    if (actor?.kind === 'key') return { kind: 'key', name: (await nameOfKey({ id: actor.id })) ?? actor.id } as const;
    const email = userId === undefined ? as : await emailOf({ id: userId });
    if (email === undefined) return { kind: 'operator', name: actor?.name ?? 'pushctl' } as const;
    const member = await find.userIn(row.workspace, email);
    return isRefusal(member) ? member : ({ kind: 'member', name: shownName(member) } as const);
  }

  /** Returns how many events it posted. */
  async function noticeOf(id: number, text: string, count: number, now: Moment): Promise<number> {
    const alert = await notified({ id });
    return alert === undefined ? 0 : notify.notice(alert, text, count, now);
  }

  /** Posts a notice for the newest alerts, and one for all of them together. The newest comes first. */
  async function noticeOfAll(ids: readonly number[], { name }: Who, now: Moment): Promise<void> {
    let posted = 0;
    for (const id of ids) {
      if (posted >= MOST_NOTICES) break;
      posted += await noticeOf(id, `${name} has it.`, 1, now);
    }
    const [newest] = ids;
    if (newest !== undefined && ids.length > 1) await noticeOf(newest, `${name} has them.`, ids.length, now);
  }

  /** The audit log has what members and operators change by their calls; keys leave their entries here. */
  async function recordOfKey(action: string, row: AlertRow, actor: Actor | undefined, now: Moment): Promise<void> {
    if (actor?.kind === 'key') await record(action, row, now, '', `key ${actor.id}`);
  }

  async function showAgain(row: AlertRow, now: Moment) {
    return alerts.show((await alerts.byId(row.id)) ?? row, now);
  }

  async function findAlert(
    { publicId, as, ...asker }: AlertAsker & { publicId: string; as?: string },
    actor: Actor | undefined,
  ): Promise<{ row: AlertRow; who: Who } | Refusal> {
    const row = await alerts.find({ publicId, ...asker }, actor);
    if (isRefusal(row)) return row;
    const who = await whoIs(asker, as, row, actor);
    return isRefusal(who) ? who : { row, who };
  }

  return {
    async acknowledgeAlert({ forS, all: isForAll = false, ...asked }, now, actor) {
      if (forS !== undefined && !(forS >= LEAST_FOR_S && forS <= MOST_FOR_S)) return invalidField(NOT_SO_LONG);
      const foundAlert = await findAlert(asked, actor);
      if (isRefusal(foundAlert)) return foundAlert;
      const { row, who } = foundAlert;
      const refusal = await keyMay.change(actor);
      if (refusal !== null) return refusal;
      const { id, channelId } = row;
      const { steadyMs } = now;
      const snoozedUntilMs = forS === undefined ? null : steadyMs + 1000 * forS;
      const range = { channelId, fromAlert: isForAll ? 0 : id, toAlert: id };
      const taken = await marks.decide({ ...range, state: 'acknowledged', ...who, snoozedUntilMs }, now);
      const isAnothers = snoozedUntilMs !== null && !taken.includes(id);
      if (isAnothers) await marks.followAt(id);
      const snoozed = isAnothers && (await snooze({ id, snoozedUntilMs, steadyMs })) > 0;
      if (taken.length > 0) {
        await noticeOfAll(taken, who, now);
        await recordOfKey('alert.acknowledge', row, actor, now);
      } else if (snoozed) {
        await recordOfKey('alert.snooze', row, actor, now);
      }
      return { alert: await showAgain(row, now), acknowledged: taken.length, snoozed };
    },

    async expireAlerts(_, { wallMs }) {
      let limit = STEP_ROWS;
      const take = async (change: (part: Part) => Awaitable<number>) => {
        const changed = limit > 0 ? await change({ wallMs, limit }) : 0;
        limit -= changed;
        return changed;
      };
      await take(forgetMessages);
      await take(forgetInsisting);
      const expired = (await take(expireOpen)) + (await take(expireSnoozed));
      return { expired, more: limit <= 0 };
    },

    async resolveAlert(asked, now, actor) {
      const foundAlert = await findAlert(asked, actor);
      if (isRefusal(foundAlert)) return foundAlert;
      const { row, who } = foundAlert;
      const refusal = await keyMay.end(actor, row.postedBy);
      if (refusal !== null) return refusal;
      const resolved = await ends.end(row, 'resolved', who, now);
      if (resolved) {
        await noticeOf(row.id, `${who.name} has resolved it.`, 1, now);
        await recordOfKey('alert.resolve', row, actor, now);
      }
      return { alert: await showAgain(row, now), resolved };
    },
  } satisfies SomeHandlers;
}
