import type { DeliveryState } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import type { OwnDelivery } from '../../calls/inbox.ts';
import type { Sql } from '../../sql.ts';

const MOST = 50;

/** Joins the report of a delivery's device. */
export const REPORTED =
  'LEFT JOIN receipt ON receipt.event_id = delivery.event_id AND receipt.device_id = delivery.device_id';
/** SQL columns of a `ReportedRow`, with `REPORTED`. */
export const REPORTED_TIMES = 'receipt.shown_at AS "shownAtMs", receipt.opened_at AS "openedAtMs"';

export interface ReportedRow {
  readonly shownAtMs: number | null;
  readonly openedAtMs: number | null;
}

/** From the devices, as a person has few of them. */
const OF_PERSON = `
  SELECT public_id AS id, name, state, at AS "atMs", ${REPORTED_TIMES}
  FROM device JOIN delivery ON delivery.event_id = CAST(:eventId AS BIGINT) AND delivery.device_id = device.id
  ${REPORTED}
  WHERE device.user_id = CAST(:userId AS BIGINT) ORDER BY device.id LIMIT ${MOST}`;

interface Row extends ReportedRow {
  readonly id: string;
  readonly name: string;
  readonly state: DeliveryState;
  readonly atMs: number;
}

/** Returns how an event's push went on a person's devices. */
export function ownDeliveries(sql: Sql) {
  const ofPerson = sql.all<{ eventId: number; userId: number }, Row>(OF_PERSON);
  return async (eventId: number, userId: number): Promise<OwnDelivery[]> =>
    (await ofPerson({ eventId, userId })).map(({ id, name, state, atMs, ...reported }) => ({
      id,
      name,
      state,
      at: toTimestamp(atMs),
      ...reportedTimes(reported),
    }));
}

export function reportedTimes({ shownAtMs, openedAtMs }: ReportedRow) {
  return { shown_at: toTimestampOrNull(shownAtMs), opened_at: toTimestampOrNull(openedAtMs) };
}
