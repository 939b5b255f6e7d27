import {
  type Inbox,
  type InboxEvent,
  type InboxFilter,
  loadInbox,
  markAllRead,
  markRead,
  markUnread,
} from '../api/events.ts';
import type { Answer } from '../api/problem.ts';
import { unread } from '../api/unread.ts';
import { type Change, useChange } from '../api/use-change.ts';
import type { Loaded } from '../api/use-load.ts';
import { Button } from '../components/button.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Shared, useShared } from '../shared.ts';
import { inbox as texts, undoRead } from '../texts/inbox.ts';

/** The events marked as read together while undo is possible; null: none. */
export const markedTogether = new Shared<readonly string[] | null>(null);

interface ReadAllProps {
  readonly inbox: Loaded<Inbox>;
  readonly filter: InboxFilter;
  readonly marking: Change;
}

/** Marks matching events as read, up to workspaces' newest shown: later ones were unseen. */
export function ReadAll({ inbox, filter, marking: { isWorking, make } }: ReadAllProps) {
  const count = useShared(unread);
  const isShown = inbox.data?.events.some((event) => event.unread) ?? false;
  const readAll = async (page: Inbox): Promise<void> => {
    await make(() => markAllShown(page, filter));
    await inbox.reload();
  };
  const { data } = inbox;
  if (count.events === 0 || !isShown || data === null) return null;
  return <Button text={texts.readAll} isWorking={isWorking} onClick={() => readAll(data)} />;
}

const UNDO_MS = 60_000;
/** The most pages loaded before marking, so that it can be undone. */
const MOST_PAGES = 10;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Marks all matching events as read, listed or not, up to workspaces' newest. */
async function markAllShown(page: Inbox, filter: InboxFilter): Promise<Answer<unknown>> {
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

/** Tells how many events were marked as read, with undo. */
export function UndoRead({ ids }: { readonly ids: readonly string[] }) {
  const { isWorking, problem, make } = useChange();
  const undo = async (): Promise<void> => {
    if ((await make(() => markUnread(ids))) !== null) markedTogether.value = null;
  };
  return (
    <div class="note">
      <p>{undoRead.wereRead(ids.length)}</p>
      <Button text={undoRead.undo} isWorking={isWorking} onClick={undo} />
      <ProblemNote problem={problem} />
    </div>
  );
}
