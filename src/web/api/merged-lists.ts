interface Entry {
  readonly public_id: string;
  readonly unread: boolean;
}
interface Page<E extends Entry> {
  /** Newest first. */
  readonly events: readonly E[];
  readonly next: string | null;
  readonly searched_to?: string | null;
}

/**
 * Merges a reloaded newest page. Earlier events stay, unless so many are new that some between are missing. Unchanged
 * events stay the same objects.
 */
export function mergedInbox<E extends Entry, P extends Page<E>>(before: P | null, loaded: P): P {
  const ids = new Set(loaded.events.map(({ public_id }) => public_id));
  const shown = before?.events ?? [];
  const known = new Map(shown.flatMap((event) => (ids.has(event.public_id) ? [[event.public_id, event]] : [])));
  const newest = { ...loaded, events: loaded.events.map((event) => sameAs(event, known.get(event.public_id))) };
  const lastCommon = shown.map(({ public_id }) => ids.has(public_id)).lastIndexOf(true);
  if (before === null || lastCommon < 0) return newest;
  const earlier = shown.slice(lastCommon + 1);
  if (earlier.length === 0) return newest;
  const { next, searched_to } = before;
  const events = [...newest.events, ...earlier];
  return { ...newest, events, next, ...(searched_to !== undefined && { searched_to }) };
}

/** Returns the unread events, with the chosen one at its previous place. */
export function withChosen<E extends Entry, P extends Page<E>>(before: P, page: P, chosen: string | undefined): P {
  const unread = page.events.filter((event) => event.unread);
  const nth = before.events.findIndex(({ public_id }) => public_id === chosen);
  const row = before.events[nth];
  if (row === undefined || unread.some(({ public_id }) => public_id === chosen)) return { ...page, events: unread };
  const later = new Set(before.events.slice(nth + 1).map(({ public_id }) => public_id));
  const below = unread.findIndex(({ public_id }) => later.has(public_id));
  const at = below < 0 ? unread.length : below;
  return { ...page, events: [...unread.slice(0, at), { ...row, unread: false }, ...unread.slice(at)] };
}

function sameAs<E extends Entry>(event: E, known: E | undefined): E {
  return known && JSON.stringify(known) === JSON.stringify(event) ? known : event;
}

/** Returns a list's events, marked by `unread`: the first page of unread ones. */
export function withMarks<E extends Entry>(events: readonly E[], unread: Page<E>): readonly E[] {
  const ids = new Set(unread.events.map(({ public_id }) => public_id));
  const last = events.findIndex(({ public_id }) => public_id === unread.events.at(-1)?.public_id);
  // The page covers events up to its last; all, if it has no end or its last is older than the list.
  const known = unread.next === null || (last < 0 && ids.size > 0) ? events.length : last + 1;
  return events.map((event, nth) => {
    const isUnread = ids.has(event.public_id);
    // Unchanged objects are not redrawn.
    return nth >= known || event.unread === isUnread ? event : { ...event, unread: isUnread };
  });
}

interface List {
  readonly workspace: string;
  readonly channels: readonly { readonly slug: string }[];
  readonly next: string | null;
}

/** Returns the lists with the pages after `asked`, except lists that have moved on. */
export function withMore<L extends List>(shown: readonly L[], asked: readonly L[], pages: readonly L[]): readonly L[] {
  return shown.map((of) => {
    const page = ofSame(pages, of);
    return page && of.next === ofSame(asked, of)?.next ? { ...page, channels: [...of.channels, ...page.channels] } : of;
  });
}

/** Returns the reloaded lists, with the rest of those extended meanwhile. */
export function withRest<L extends List>(loaded: readonly L[], shown: readonly L[] | null): readonly L[] {
  return loaded.map((of) => {
    const before = ofSame(shown ?? [], of);
    const last = of.channels.at(-1)?.slug;
    const end = before?.channels.findIndex(({ slug }) => slug === last) ?? -1;
    const rest = end < 0 ? [] : (before?.channels.slice(end + 1) ?? []);
    return before && of.next !== null && rest.length > 0
      ? { ...of, channels: [...of.channels, ...rest], next: before.next }
      : of;
  });
}

function ofSame<L extends List>(lists: readonly L[], { workspace }: L): L | undefined {
  return lists.find((list) => list.workspace === workspace);
}
