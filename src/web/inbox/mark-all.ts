import { type Inbox, type InboxEvent, type InboxFilter, loadInbox } from '../api/events.ts';
import type { Answer } from '../api/problem.ts';
import { markAllRead, markRead } from '../api/read-marks.ts';
import { markedTogether } from './marked-together.ts';

const UNDO_MS = 60_000;
/** Pages of unread events that are looked for before they are marked, to know them for a way back. */
const MOST_PAGES = 10;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Marks all that pass the filters, up to the newest that is shown of each workspace. */
export async function markAllShown(page: Inbox, filter: InboxFilter): Promise<Answer<unknown>> {
  const shown = page.events.filter((event) => event.unread);
  const ids = await unreadIds(page, shown, filter);
  // Of a search, only what it has found: the server marks by channel and level.
  const isSearch = filter.q !== undefined;
  const newest = [...new Map([...shown].reverse().map((event) => [event.workspace, event])).values()];
  let answer: Answer<unknown> = isSearch ? await markRead(ids) : { ok: true, data: null };
  for (const event of isSearch ? [] : newest) if (answer.ok) answer = await markAllRead(event, filter);
  if (answer.ok) offerUndo(ids);
  return answer;
}

/** Also of those further down that are not loaded. What came since the list was loaded is not seen. */
async function unreadIds(
  { next }: Inbox,
  shown: readonly InboxEvent[],
  filter: InboxFilter,
): Promise<readonly string[]> {
  const ids = shown.map(({ public_id }) => public_id);
  let before = filter.q === undefined ? next : null;
  for (let pages = 0; before !== null && pages < MOST_PAGES; pages += 1) {
    const answer = await loadInbox({ ...filter, unread: 'true' }, { before, limit: 100 });
    if (!answer.ok) break;
    ids.push(...answer.data.events.map(({ public_id }) => public_id));
    before = answer.data.next;
  }
  return ids;
}

function offerUndo(ids: readonly string[]): void {
  clearTimeout(timer);
  markedTogether.value = ids;
  timer = setTimeout(() => {
    markedTogether.value = null;
  }, UNDO_MS);
}
