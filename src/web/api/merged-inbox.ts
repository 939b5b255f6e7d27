interface Entry {
  readonly public_id: string;
  readonly workspace: string;
  readonly unread: boolean;
}
interface Page<E extends Entry> {
  /** Newest first. */
  readonly events: readonly E[];
  readonly next: string | null;
  readonly searched_to?: string | null;
}

/**
 * What a list shows once its newest page was loaded again: the earlier events that the user had asked for stay below
 * it, unless so many are new that some between the two are missing.
 */
export function mergedInbox<E extends Entry, P extends Page<E>>(before: P | null, newest: P): P {
  const ids = new Set(newest.events.map(({ public_id }) => public_id));
  const shown = before?.events ?? [];
  const lastCommon = shown.map(({ public_id }) => ids.has(public_id)).lastIndexOf(true);
  if (before === null || lastCommon < 0) return newest;
  const earlier = shown.slice(lastCommon + 1);
  if (earlier.length === 0) return newest;
  // Who has read an event of a workspace has read all before it.
  const read = new Set(newest.events.filter(({ unread }) => !unread).map(({ workspace }) => workspace));
  const asRead = (event: E): E => (event.unread && read.has(event.workspace) ? { ...event, unread: false } : event);
  const { next, searched_to } = before;
  const events = [...newest.events, ...earlier.map(asRead)];
  return { ...newest, events, next, ...(searched_to !== undefined && { searched_to }) };
}
