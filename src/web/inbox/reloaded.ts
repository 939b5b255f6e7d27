import { type Inbox, type InboxFilter, loadInbox } from '../api/events.ts';
import { mergedInbox, withChosen, withMarks } from '../api/merged-lists.ts';

/**
 * Returns how to merge a reloaded first page. `isLonger`: the list is longer, so the rest's read marks are loaded, too.
 * `chosen`: the event beside, which stays among unread ones until another is chosen.
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
