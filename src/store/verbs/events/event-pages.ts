import { stringify } from 'uuid';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { EventFilter, Refusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { EVENT_BY_ID, type EventCountsRow, type EventTextRow } from './events.ts';
import { newestEvents } from './newest.ts';

/** Events that one page looks at: a search goes on with the next page, so that none takes longer than some 0.1 s. */
const MOST_LOOKED_AT = 5_000;
/** Of two events that come at about the same time, the one that is received first may have the larger id. */
const SAME_TIME_MS = 2_000;

type Row = EventTextRow & EventCountsRow;

export interface EventPageRows {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** The filters of a list. */
type Asked = Pick<EventFilter, 'level' | 'sinceMs' | 'before' | 'limit'> & {
  /** Which of these events are wanted; absent: all. A page then holds fewer, maybe none, and `next` leads on. */
  readonly isWanted?: (row: Row) => boolean;
};

/** Whose events: those of these channels, or of a whole workspace, test pushes among them. */
type Source = { readonly channelIds: readonly number[] } | { readonly workspaceId: number };

export type EventPages = (source: Source, asked: Asked) => Promise<EventPageRows | Refusal>;

/** One page of events, newest first. Only of channels can it be of one level. */
export function eventPages(sql: Sql): EventPages {
  const byId = sql.get<{ id: number }, Row>(EVENT_BY_ID);
  const newest = newestEvents(sql);

  return async (source, { level, sinceMs = 0, before, limit, isWanted = () => true }) => {
    const beforeId = await newest.boundOf(before);
    if (beforeId === null) return badCursor('before');
    const rows: Row[] = [];
    let looked = 0;
    let last: Row | undefined;
    const ids =
      'workspaceId' in source
        ? newest.ofWorkspace(source.workspaceId, beforeId)
        : newest.from(source.channelIds, beforeId, level);
    for await (const id of ids) {
      const row = await byId({ id });
      if (row === undefined) continue;
      // Newer ones have larger ids, so soon after the first that is too old the list is at its end.
      if (row.received_at < sinceMs - SAME_TIME_MS) break;
      if (row.received_at < sinceMs) continue;
      if (last !== undefined && (rows.length === limit || looked === MOST_LOOKED_AT))
        return { rows, next: publicIdOf(stringify(last.uuid)) };
      if (isWanted(row)) rows.push(row);
      last = row;
      looked += 1;
    }
    return { rows, next: null };
  };
}
