import { publicIdOf, uuidBytesOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { InboxEvent } from '../../calls/events.ts';
import type { Actor, Alert, AlertAsker, Refusal } from '../../calls.ts';
import { noAlert, noEvent } from '../../refusals.ts';
import { ID_LIST, idList, ifGiven, type Sql } from '../../sql.ts';
import { IS_THERE } from '../events/states.ts';
import { isInReach } from '../keys/bindings.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { ALERTS, type AlertRow, ESCALATED_TO, MARKS, type Reached, STATE, shownAlert } from './alert-rows.ts';

const STATES = `
  SELECT alert.event_id AS id, opening.uuid, ${STATE} AS state
  FROM alert ${MARKS} JOIN event AS opening ON opening.id = alert.event_id
  WHERE alert.event_id IN ${ID_LIST}`;

/** Condition on a table with workspace and channel: visible to the asker. */
export function isAskers(table: 'alert' | 'event'): string {
  const isMembers = `EXISTS (
    SELECT 1 FROM member
    WHERE member.user_id = CAST(:userId AS BIGINT) AND member.workspace_id = ${table}.workspace_id AND ${IS_VOUCHED}
  )`;
  return `${ifGiven('userId', isMembers)}
  AND ${ifGiven('ofWorkspaceId', `${table}.workspace_id = :ofWorkspaceId`)}
  AND ${isInReach(`${table}.channel_id`)}`;
}

export interface AskerParams {
  readonly userId: number | null;
  readonly session: Buffer;
  readonly ofWorkspaceId: number | null;
  readonly boundKeyId: string | null;
}

export function askerParams({ userId, reach }: AlertAsker, actor: Actor | undefined): AskerParams {
  return {
    userId: userId ?? null,
    session: sessionOf(actor),
    ofWorkspaceId: reach?.workspaceId ?? null,
    boundKeyId: reach?.boundKeyId ?? null,
  };
}

interface AlertFinder {
  find(asked: AlertAsker & { publicId: string }, actor: Actor | undefined): Promise<AlertRow | Refusal>;
  /** Null: no alert. */
  ofEvent(event: { readonly alertId: number | null }, now: Moment): Promise<Alert | null>;
  byId(id: number): Promise<AlertRow | undefined>;
  /** Returns alerts of a page's events, by id. */
  amongEvents(
    events: readonly { readonly alertId: number | null }[],
  ): Promise<ReadonlyMap<number, NonNullable<InboxEvent['alert']>>>;
  show(row: AlertRow, now: Moment): Promise<Alert>;
}

export function alertFinder(sql: Sql): AlertFinder {
  const alertOf = sql.get<AskerParams & { uuid: Uint8Array | null }, { alertId: number | null }>(
    `SELECT alert_id AS "alertId" FROM event WHERE event.uuid = :uuid AND ${IS_THERE} AND ${isAskers('event')}`,
  );
  const byId = sql.get<{ id: number }, AlertRow>(`${ALERTS} WHERE alert.event_id = :id`);
  const statesOf = sql.all<object, Pick<AlertRow, 'id' | 'uuid' | 'state'>>(STATES);
  const escalatedTo = sql.all<{ id: number }, Reached>(ESCALATED_TO);

  return {
    async find({ publicId, ...asker }, actor) {
      const found = await alertOf({ ...askerParams(asker, actor), uuid: uuidBytesOf(publicId) });
      if (found === undefined) return noEvent(publicId);
      const row = found.alertId === null ? undefined : await byId({ id: found.alertId });
      return row ?? noAlert(publicId);
    },
    async ofEvent({ alertId: id }, now) {
      const row = id === null ? undefined : await byId({ id });
      return row === undefined ? null : shownAlert(row, await escalatedTo(row), now);
    },
    byId: async (id) => byId({ id }),
    async amongEvents(events) {
      const ids = new Set(events.flatMap(({ alertId }) => (alertId === null ? [] : [alertId])));
      const rows = ids.size === 0 ? [] : await statesOf(idList([...ids]));
      return new Map(rows.map(({ id, uuid, state }) => [id, { id: publicIdOf(uuid), state }]));
    },
    show: async (row, now) => shownAlert(row, await escalatedTo(row), now),
  };
}
