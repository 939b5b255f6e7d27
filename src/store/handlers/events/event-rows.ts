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
  /** Where it is or was sent later: how many devices it was accepted for. */
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
  readonly first_accepted_at: number | null;
  readonly last_accepted_at: number | null;
}

export interface EventTextRow extends EventRecordRow, KeptFields {
  readonly workspace: string;
  readonly channel: string | null;
  readonly channelName: string | null;
  /** The alert that it belongs to. */
  readonly alertId: number | null;
}

export type EventRow = EventTextRow & EventCountsRow;

/** Whose events: those of these channels, of a whole workspace with test pushes, or what a person has not read. */
export type EventSource =
  | { readonly channelIds: readonly number[] }
  | { readonly workspaceId: number }
  | { readonly unreadOf: number; readonly marks: readonly ReadMark[] };

/** Which events come first. */
export type ListOrder = 'newest' | 'oldest';

/** Which events a page is made of. */
export interface ListAsked {
  readonly order: ListOrder;
  /** Those behind this id. */
  readonly fromId: number;
  readonly level: Level | undefined;
  /** Those of another type, or that do not hold all of the words, may be left out, but never the last one that is looked at. */
  readonly eventType: string | undefined;
  readonly words: readonly string[];
  /** As many are needed for a page, and more may be asked for. */
  readonly count: number;
  /** So many are looked at, and no more. */
  readonly most: number;
}

/** `looked`: how many were looked at until this one. */
export interface LookedAt {
  readonly row: EventRow;
  readonly looked: number;
}

/** Up to which event a person has read a channel, or one level of it. */
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
  /** One for all levels, or one for each. */
  readonly marks: readonly ReadMark[];
}

/** No count goes further than this, in each workspace. */
export const MOST_COUNTED = 1_000;
/** The same in each channel. */
export const MOST_OF_CHANNEL = 100;

/** What an engine knows of its events by their order. No client that has seen one finds another before it later on. */
export interface EventLists {
  rows(source: EventSource, asked: ListAsked): AsyncIterable<LookedAt>;
  /** How many events of these channels are not read, for each workspace that has such, and by channel. */
  unread(userId: number, channels: readonly HeardChannel[]): Awaitable<readonly UnreadCount[]>;
  /** The id of the newest one that is shown. */
  newest(): Awaitable<number>;
}
