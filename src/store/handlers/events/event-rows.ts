import type { Level } from '../../../push.ts';
import type { UnreadCount } from '../../calls/inbox.ts';
import type { KeptFields } from '../../event-columns.ts';
import type { Awaitable } from '../../sql.ts';

export interface EventRecordRow {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly level: Level;
  readonly eventType: string | null;
  readonly targeted: number;
  /** Devices that the event was accepted for, if it is or was to be sent later. */
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

export interface EventTextRow extends EventRecordRow, KeptFields {
  readonly workspace: string;
  readonly channel: string | null;
  readonly channelName: string | null;
  /** The alert that the event belongs to. */
  readonly alertId: number | null;
  /** JSON of a `StoredQuiet`; null: it rings. */
  readonly quiet: string | null;
}

export type EventRow = EventTextRow & EventCountsRow;

/** A source of events: these channels, a whole workspace with test pushes, or a person's unread events. */
export type EventSource =
  | { readonly channelIds: readonly number[] }
  | { readonly workspaceId: number }
  | { readonly unreadOf: number; readonly marks: readonly ReadMark[] };

/** Which events come first. */
export type ListOrder = 'newest' | 'oldest';

/** The events that a page is made of. */
export interface ListAsked {
  readonly order: ListOrder;
  /** Only events behind this id. */
  readonly fromId: number;
  readonly level: Level | undefined;
  /** Events of another type, or without all of the words, may be left out, but never the last one that is looked at. */
  readonly eventType: string | undefined;
  readonly words: readonly string[];
  /** Events that the page needs. The caller may ask for more. */
  readonly count: number;
  /** The most events that are looked at. */
  readonly most: number;
}

/** `looked`: how many were looked at until this one. */
export interface LookedAt {
  readonly row: EventRow;
  readonly looked: number;
}

/** The event up to which a person has read a channel, or one level of it. */
export interface ReadMark {
  readonly channelId: number;
  /** Null: all levels, and no event is read or unread apart from the mark. */
  readonly level: Level | null;
  /** Internal id of that event, 0: none. */
  readonly upTo: number;
}

/** A channel that a person's devices are subscribed to. */
export interface HeardChannel {
  readonly id: number;
  readonly slug: string;
  /** Its workspace's slug. */
  readonly workspace: string;
  /** One mark for all levels, or one for each level. */
  readonly marks: readonly ReadMark[];
}

/** No count goes further than this, in each workspace. */
export const MOST_COUNTED = 1_000;
/** No count goes further than this in each channel. */
export const MOST_OF_CHANNEL = 100;

/**
 * An engine's view of its events in their order. A client that has seen an event never finds another one before it
 * later.
 */
export interface EventLists {
  rows(source: EventSource, asked: ListAsked): AsyncIterable<LookedAt>;
  /** Counts unread events of these channels, for each workspace that has some, and by channel. */
  unread(userId: number, channels: readonly HeardChannel[]): Awaitable<readonly UnreadCount[]>;
  /** Returns the id of the newest event that is shown. */
  newest(): Awaitable<number>;
}
