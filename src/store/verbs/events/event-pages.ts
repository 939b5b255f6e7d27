import { stringify } from 'uuid';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { EventFilter, Refusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { EventLists, EventRow, EventSource } from './event-rows.ts';
import { EVENT_BY_ID } from './events.ts';
import { newestEvents } from './newest.ts';

/** Events that one page looks at: a search goes on with the next page, so that none takes longer than some 0.1 s. */
const MOST_LOOKED_AT = 5_000;
/** Of two events that come at about the same time, the one that is received first may have the larger id. */
const SAME_TIME_MS = 2_000;

export interface EventPageRows {
  readonly rows: readonly EventRow[];
  readonly next: string | null;
  /** All that were received since then, Unix ms, were looked at; null: all. */
  readonly lookedToMs: number | null;
}

/** The filters of a list. */
type Asked = Pick<EventFilter, 'level' | 'sinceMs' | 'before' | 'limit'> & {
  /** Which of these events are wanted; absent: all. A page then holds fewer, maybe none, and `next` leads on. */
  readonly isWanted?: (row: EventRow) => boolean;
};

export type EventPages = (source: EventSource, asked: Asked) => Promise<EventPageRows | Refusal>;

/** One page of events, newest first. Only of channels can it be of one level. */
export function eventPages(sql: Sql, lists: EventLists): EventPages {
  const { boundOf } = newestEvents(sql);

  return async (source, { level, sinceMs = 0, before, limit, isWanted = () => true }) => {
    const beforeId = await boundOf(before);
    if (beforeId === null) return badCursor('before');
    const rows: EventRow[] = [];
    let looked = 0;
    let last: EventRow | undefined;
    for await (const row of lists.rows(source, { beforeId, level, count: limit + 1 })) {
      // Newer ones have larger ids, so soon after the first that is too old the list is at its end.
      if (row.received_at < sinceMs - SAME_TIME_MS) break;
      if (row.received_at < sinceMs) continue;
      if (last !== undefined && (rows.length === limit || looked === MOST_LOOKED_AT))
        return { rows, next: publicIdOf(stringify(last.uuid)), lookedToMs: last.received_at };
      if (isWanted(row)) rows.push(row);
      last = row;
      looked += 1;
    }
    return { rows, next: null, lookedToMs: null };
  };
}

/** Where events are stored one after the other, and reading one costs no way to a database. */
export function listsOneByOne(sql: Sql): EventLists {
  const byId = sql.get<{ id: number }, EventRow>(EVENT_BY_ID);
  const newest = newestEvents(sql);
  return {
    async *rows(source, { beforeId, level }) {
      const ids =
        'workspaceId' in source
          ? newest.ofWorkspace(source.workspaceId, beforeId)
          : newest.from(source.channelIds, beforeId, level);
      for await (const id of ids) {
        const row = await byId({ id });
        if (row !== undefined) yield row;
      }
    },
    newest: () => Number.MAX_SAFE_INTEGER,
  };
}
