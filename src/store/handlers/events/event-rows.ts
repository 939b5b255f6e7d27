import type { DeliveryState, Level } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import type { OwnDelivery, UnreadCount } from '../../calls/events.ts';
import type { KeptFields } from '../../event-columns.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import type { RungEvent } from '../on-call/event-on-call.ts';

export interface EventRecordRow {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly level: Level;
  readonly eventType: string | null;
  readonly targeted: number;
  /** Devices at acceptance, if the event is or was scheduled. */
  readonly announced: number | null;
  readonly received_at: number;
}

export interface EventCountsRow {
  readonly accepted: number;
  readonly failed: number;
  readonly unregistered: number;
  readonly expired: number;
  readonly withdrawn: number;
  readonly fitted: number;
  readonly shown: number | null;
  readonly opened: number | null;
  readonly first_accepted_at: number | null;
  readonly last_accepted_at: number | null;
}

export interface EventTextRow extends EventRecordRow, KeptFields, RungEvent {
  readonly workspace: string;
  readonly channel: string | null;
  readonly channelName: string | null;
  readonly alertId: number | null;
}

export type EventRow = EventTextRow & EventCountsRow;

/** A source of events: channels, a workspace with test pushes, or unread events. */
export type EventSource =
  | { readonly channelIds: readonly number[] }
  | { readonly workspaceId: number }
  | { readonly unreadOf: number; readonly marks: readonly ReadMark[] };

export type ListOrder = 'newest' | 'oldest';

interface ListAsked {
  readonly order: ListOrder;
  /** Only behind this id. */
  readonly fromId: number;
  readonly level: Level | undefined;
  /** Events of another type, or without all words, may be left out, but never the last examined. */
  readonly eventType: string | undefined;
  readonly words: readonly string[];
  /** Events that the page needs. The caller may ask for more. */
  readonly count: number;
  /** Most events examined. */
  readonly most: number;
}

/** `looked`: how many were examined so far. */
export interface LookedAt {
  readonly row: EventRow;
  readonly looked: number;
}

/** The last event read in a channel, or one level of it. */
export interface ReadMark {
  readonly channelId: number;
  /** Null: all levels, and no event apart from the mark. */
  readonly level: Level | null;
  /** Internal id, 0: none. */
  readonly upTo: number;
}

export interface HeardChannel {
  readonly id: number;
  readonly slug: string;
  readonly workspace: string;
  /** One for all levels, or one per level. */
  readonly marks: readonly ReadMark[];
}

/** Counts stop here per workspace. */
export const MOST_COUNTED = 1_000;
/** Counts stop here per channel. */
export const MOST_OF_CHANNEL = 100;

/** An engine's events, in order. A client that has seen an event never later finds another before it. */
export interface EventLists {
  rows(source: EventSource, asked: ListAsked): AsyncIterable<LookedAt>;
  /** Counts unread events of these channels, by workspace and channel. */
  unread(userId: number, channels: readonly HeardChannel[]): Awaitable<readonly UnreadCount[]>;
  newest(): Awaitable<number>;
}

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
