import { fieldProblem } from '../../../contract/details.ts';
import type { Moment } from '../../../process/clock.ts';
import { isRefusal } from '../../calls.ts';
import { invalidField } from '../../refusals.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { keyEndings } from '../keys/endings.ts';
import { STEP_ROWS } from '../retention/purges.ts';
import { acting, type Who } from './acting.ts';
import { alertEnds, EXPIRE_OPEN, EXPIRE_SNOOZED } from './ends.ts';
import { alertMarks, BEFORE } from './marks.ts';
import { NOTIFIED, type NotifiedAlert, notifying } from './notifying.ts';

const SNOOZE = `
  UPDATE alert SET snoozed_until = :snoozedUntilMs, snoozed_by = :name, snoozer = :actor, due_at = :snoozedUntilMs, set_at = :steadyMs, act = 0, acted_by = :actor,
    acted_at = :steadyMs, ${BEFORE}
  WHERE event_id = :id AND state = 'acknowledged'`;

/** Most events that one gesture posts in a storm, in all channels reached. */
export const MOST_NOTICES = 20;

const LEAST_FOR_S = 300;
const MOST_FOR_S = 86_400;
const NOT_SO_LONG = fieldProblem('for', 'whole_seconds', { least: LEAST_FOR_S, most: MOST_FOR_S });

interface Part {
  readonly wallMs: number;
  readonly limit: number;
}

const someOf = (table: string, key: string) =>
  `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT CAST(:limit AS BIGINT))`;

export function alertChanges(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const snooze = sql.run<{ id: number; name: string; snoozedUntilMs: number; steadyMs: number; actor: string }>(SNOOZE);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const expireOpen = sql.run<Part>(EXPIRE_OPEN);
  const expireSnoozed = sql.run<Part>(EXPIRE_SNOOZED);
  const forgetInsisting = sql.run<Part>(someOf('insisting', 'channel_id'));
  const forgetMessages = sql.run<Part>(someOf('webhook_message', 'id'));
  const ends = alertEnds(sql);
  const marks = alertMarks(sql);
  const notify = notifying(sql, deps);
  const { findAlert, showAgain, recordOfKey } = acting(sql);
  const keyMay = keyEndings(sql);

  /** Returns the number of posted events. */
  async function noticeOf(id: number, text: string, count: number, now: Moment): Promise<number> {
    const alert = await notified({ id });
    return alert === undefined ? 0 : notify.notice(alert, text, count, now);
  }

  /** Posts notices for the newest alerts, newest first, and one for all. */
  async function noticeOfAll(ids: readonly number[], { name }: Who, now: Moment): Promise<void> {
    let posted = 0;
    for (const id of ids) {
      if (posted >= MOST_NOTICES) break;
      posted += await noticeOf(id, `${name} has it.`, 1, now);
    }
    const [newest] = ids;
    if (newest !== undefined && ids.length > 1) await noticeOf(newest, `${name} has them.`, ids.length, now);
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
      await marks.followAt(id);
      const snoozedUntilMs = forS === undefined ? null : steadyMs + 1000 * forS;
      const range = { channelId, fromAlert: isForAll ? 0 : id, toAlert: id };
      const { concerned: taken } = await marks.decide({ ...range, state: 'acknowledged', ...who, snoozedUntilMs }, now);
      const isAnothers = snoozedUntilMs !== null && !taken.includes(id);
      const snoozed =
        isAnothers && (await snooze({ id, name: who.name, snoozedUntilMs, steadyMs, actor: who.actor })) > 0;
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
