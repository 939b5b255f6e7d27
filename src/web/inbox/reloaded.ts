import { type Inbox, type InboxFilter, loadInbox } from '../api/events.ts';
import { mergedInbox, withChosen, withMarks } from '../api/merged-inbox.ts';

/**
 * What the list shows once its newest page was loaded again. `chosen`: the event beside the list, which stays in one of
 * unread events after it was read, until another is chosen.
 */
export async function reloadedInbox(
  before: Inbox,
  newest: Inbox,
  filter: InboxFilter,
  chosen: string | undefined,
): Promise<Inbox> {
  const merged = mergedInbox(before, newest);
  const marked = merged.events.length === newest.events.length ? merged : await remarked(merged, filter);
  return filter.unread === 'true' ? withChosen(before, marked, chosen) : marked;
}

/** What was read of the events beyond the newest page is not in it. */
async function remarked(page: Inbox, filter: InboxFilter): Promise<Inbox> {
  const unread = await loadInbox({ ...filter, unread: 'true' }, { limit: 100 });
  return unread.ok ? { ...page, events: [...withMarks(page.events, unread.data)] } : page;
}
