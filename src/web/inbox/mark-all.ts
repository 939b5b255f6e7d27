import { type Inbox, type InboxEvent, type InboxFilter, loadInbox } from '../api/events.ts';
import type { Answer } from '../api/problem.ts';
import { markAllRead, markRead } from '../api/read-marks.ts';
import { markedTogether } from './marked-together.ts';

const UNDO_MS = 60_000;
/** The most pages of unread events that are loaded before they are marked, so that marking them can be undone. */
const MOST_PAGES = 10;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Marks all events that pass the filters as read, up to the newest of each workspace, in the list or further down. */
export async function markAllShown(page: Inbox, filter: InboxFilter): Promise<Answer<unknown>> {
  const unread = await unreadEvents(page, filter);
  const ids = unread.map(({ public_id }) => public_id);
  // A search marks only what it has found: the server marks by channel and level.
  const isSearch = filter.q !== undefined;
  const known = [...page.events, ...unread];
  const newest = [...new Map(known.reverse().map((event) => [event.workspace, event])).values()];
  let answer: Answer<unknown> = isSearch ? await markRead(ids) : { ok: true, data: null };
  for (const event of isSearch ? [] : newest) if (answer.ok) answer = await markAllRead(event, filter);
  if (answer.ok) offerUndo(ids);
  return answer;
}

/** Returns the unread events, also those further down that are not loaded, but none that came after the list. */
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
