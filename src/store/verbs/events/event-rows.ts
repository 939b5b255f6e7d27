import type { Level } from '../../../push.ts';
import type { KeptFields } from '../../event-columns.ts';
import type { Awaitable } from '../../sql.ts';

export interface EventRecordRow {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly level: Level;
  readonly eventType: string | null;
  readonly targeted: number;
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
}

export type EventRow = EventTextRow & EventCountsRow;

/** Whose events: those of these channels, or of a whole workspace, test pushes among them. */
export type EventSource = { readonly channelIds: readonly number[] } | { readonly workspaceId: number };

/** What an engine knows of its events by their order. Nobody who has seen one finds another before it later on. */
export interface EventLists {
  /** Those before this id, newest first; `count`: as many are needed for a page, and more may be asked for. */
  rows(
    source: EventSource,
    asked: { readonly beforeId: number; readonly level: Level | undefined; readonly count: number },
  ): AsyncIterable<EventRow>;
  /** The id of the newest one that is shown. */
  newest(): Awaitable<number>;
}
