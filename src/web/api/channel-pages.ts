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
