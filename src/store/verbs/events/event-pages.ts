import { stringify } from 'uuid';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { EventFilter, Refusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { EventLists, EventRow, EventSource, LookedAt } from './event-rows.ts';
import { EVENT_BY_ID } from './events.ts';
import { newestEvents } from './newest.ts';
import { unreadCounts } from './read-marks.ts';
import { holdsWords, wordsOf } from './search-words.ts';

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

/** The filters of a list. Where `q` is looked for, a page may hold fewer events, maybe none, and `next` leads on. */
type Asked = Pick<EventFilter, 'level' | 'sinceMs' | 'before' | 'limit'> & { readonly q?: string };

export type EventPages = (source: EventSource, asked: Asked) => Promise<EventPageRows | Refusal>;

/** One page of events, newest first. Only of channels can it be of one level. */
export function eventPages(sql: Sql, lists: EventLists): EventPages {
  const { boundOf } = newestEvents(sql);

  return async (source, { level, sinceMs = 0, before, limit, q }) => {
    const beforeId = await boundOf(before);
    if (beforeId === null) return badCursor('before');
    const words = wordsOf(q);
    const isWanted = holdsWords(words);
    const rows: EventRow[] = [];
    let last: LookedAt | undefined;
    const asked = { beforeId, level, words, count: limit + 1, most: MOST_LOOKED_AT };
    for await (const one of lists.rows(source, asked)) {
      // Newer ones have larger ids, so soon after the first that is too old the list is at its end.
      if (one.row.received_at < sinceMs - SAME_TIME_MS) return { rows, ...END };
      if (one.row.received_at < sinceMs) continue;
      if (last !== undefined && rows.length === limit) return { rows, ...behind(last) };
      if (isWanted(one.row)) rows.push(one.row);
      last = one;
    }
    return { rows, ...(last?.looked === MOST_LOOKED_AT ? behind(last) : END) };
  };
}

const END = { next: null, lookedToMs: null } as const;

function behind({ row }: LookedAt): Omit<EventPageRows, 'rows'> {
  return { next: publicIdOf(stringify(row.uuid)), lookedToMs: row.received_at };
}

/** Where events are stored one after the other, and reading one costs no way to a database. */
export function listsOneByOne(sql: Sql): EventLists {
  const byId = sql.get<{ id: number }, EventRow>(EVENT_BY_ID);
  const newest = newestEvents(sql);
  return {
    async *rows(source, { beforeId, level, most }) {
      const ids =
        'workspaceId' in source
          ? newest.ofWorkspace(source.workspaceId, beforeId)
          : newest.from(source.channelIds, beforeId, level);
      let looked = 0;
      for await (const id of ids) {
        const row = await byId({ id });
        if (row === undefined) continue;
        looked += 1;
        yield { row, looked };
        if (looked === most) return;
      }
    },
    unread: unreadCounts(sql),
    newest: () => Number.MAX_SAFE_INTEGER,
  };
}
