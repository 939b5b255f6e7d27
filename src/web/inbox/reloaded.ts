import { type Inbox, type InboxFilter, loadInbox } from '../api/events.ts';
import { mergedInbox, withChosen, withMarks } from '../api/merged-inbox.ts';

/**
 * Returns how to merge a newly loaded first page into the list. `isLonger`: the list shows more than that page, so the
 * read marks of the rest are loaded as well. `chosen`: the event beside the list. It stays in a list of unread events
 * after it was read, until another is chosen.
 */
export async function reloadedInbox(
  newest: Inbox,
  filter: InboxFilter,
  chosen: string | undefined,
  isLonger: boolean,
): Promise<(shown: Inbox | null) => Inbox> {
  const unread = isLonger ? await loadInbox({ ...filter, unread: 'true' }, { limit: 100 }) : null;
  return (shown) => {
    if (shown === null) return newest;
    const merged = mergedInbox(shown, newest);
    const marked = unread?.ok ? { ...merged, events: [...withMarks(merged.events, unread.data)] } : merged;
    return filter.unread === 'true' ? withChosen(shown, marked, chosen) : marked;
  };
}
