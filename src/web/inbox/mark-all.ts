import { type Inbox, type InboxEvent, type InboxFilter, loadInbox, markAllRead, markRead } from '../api/events.ts';
import type { Answer } from '../api/problem.ts';
import { markedTogether } from './marked-together.ts';

const UNDO_MS = 60_000;
/** The most pages loaded before marking, so that it can be undone. */
const MOST_PAGES = 10;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Marks all matching events as read, listed or not, up to workspaces' newest. */
export async function markAllShown(page: Inbox, filter: InboxFilter): Promise<Answer<unknown>> {
  const unread = await unreadEvents(page, filter);
  const ids = unread.map(({ public_id }) => public_id);
  // A search marks only its results: the server marks by channel and level.
  const isSearch = filter.q !== undefined;
  const known = [...page.events, ...unread];
  const newest = [...new Map(known.reverse().map((event) => [event.workspace, event])).values()];
  let answer: Answer<unknown> = isSearch ? await markRead(ids) : { ok: true, data: null };
  for (const event of isSearch ? [] : newest) if (answer.ok) answer = await markAllRead(event, filter);
  if (answer.ok) offerUndo(ids);
  return answer;
}

/** Returns the unread events, loaded or not, up to the list's newest. */
async function unreadEvents({ events, next }: Inbox, filter: InboxFilter): Promise<readonly InboxEvent[]> {
  const unread = events.filter((event) => event.unread);
  let before = filter.q === undefined ? next : null;
  for (let pages = 0; before !== null && pages < MOST_PAGES; pages += 1) {
    const answer = await loadInbox({ ...filter, unread: 'true' }, { before, limit: 100 });
    if (!answer.ok) break;
    unread.push(...answer.data.events);
    before = answer.data.next;
  }
  return unread;
}

function offerUndo(ids: readonly string[]): void {
  clearTimeout(timer);
  markedTogether.value = ids;
  timer = setTimeout(() => {
    markedTogether.value = null;
  }, UNDO_MS);
}
