import { useEffect, useRef } from 'preact/hooks';
import type { Inbox } from '../api/events.ts';
import { unreadText } from '../api/unread.ts';
import { ChannelSelect, useChannelSearch } from '../components/channel-search.tsx';
import { Choice, FilterBar, type Filters } from '../components/filters.tsx';
import { usePerson } from '../session.ts';
import { common } from '../texts/common.ts';
import { inboxFilters as texts } from '../texts/inbox.ts';

/** The server's limit of counting per channel, as in the API's description. */
const MOST_COUNTED = 100;

type InboxFilters = Filters<'workspace' | 'channel' | 'level' | 'q' | 'unread'>;

interface Props {
  readonly filters: InboxFilters;
  readonly unread: Inbox['unread'];
}

/** Shown when the user searches or filters; focuses the search field. */
export default function InboxFilterBar({ filters: { values, submit }, unread }: Props) {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => search.current?.focus(), []);
  const workspaces = usePerson()?.workspaces ?? [];
  const chosen = workspaces.map(({ slug }) => slug).filter((slug) => [undefined, slug].includes(values.workspace));
  const channels = useChannelSearch(chosen, { chosen: values.channel });
  const countOf = new Map(
    unread
      .filter(({ workspace }) => chosen.includes(workspace))
      .flatMap((of) => of.channels.map(({ channel, events }) => [channel, events] as const)),
  );
  const labelOf = (slug: string, name: string): string => {
    const count = countOf.get(slug);
    return count === undefined
      ? name
      : texts.withUnread(name, unreadText({ events: count, isMore: count >= MOST_COUNTED }));
  };
  return (
    <FilterBar label={texts.label} onSubmit={submit}>
      <input
        ref={search}
        type="search"
        name="q"
        maxLength={200}
        aria-label={texts.search}
        placeholder={texts.search}
        defaultValue={values.q ?? ''}
      />
      {workspaces.length > 1 && (
        <Choice
          name="workspace"
          label={texts.workspace}
          value={values.workspace}
          any={texts.allWorkspaces}
          options={workspaces.map(({ slug, name }) => [slug, name])}
        />
      )}
      <ChannelSelect
        of={channels}
        labelOf={labelOf}
        label={texts.channel}
        chosen={values.channel}
        any={texts.allChannels}
      />
      <Choice name="level" label={texts.level} value={values.level} any={texts.allLevels} options={common.levels} />
      <Choice
        name="unread"
        label={texts.unread}
        value={values.unread}
        any={texts.readToo}
        options={{ true: texts.unreadOnly }}
      />
    </FilterBar>
  );
}
