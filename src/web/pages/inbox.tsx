import { useRef, useState } from 'preact/hooks';
import { type Inbox as InboxPage, loadInbox, markRead } from '../api/events.ts';
import { mergedInbox } from '../api/merged-inbox.ts';
import { unread } from '../api/unread.ts';
import { type Loaded, useLoad } from '../api/use-load.ts';
import { type Filters, useFilters } from '../components/filters/use-filters.ts';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { WaitingNote } from '../components/waiting-note.tsx';
import { Days } from '../inbox/days.tsx';
import { Earlier } from '../inbox/earlier.tsx';
import { part } from '../part.tsx';
import { useShared } from '../shared.ts';
import { useEventKeys } from '../shell/use-event-keys.ts';
import { useKeys } from '../shell/use-keys.ts';
import { texts } from '../texts/inbox.ts';

const InboxFilters = part(() => import('../inbox/inbox-filters.tsx'));
const NoEvents = part(() => import('../inbox/no-events.tsx'));

const FILTERS = ['workspace', 'channel', 'level', 'q'] as const;
type InboxFilters = Filters<(typeof FILTERS)[number]>;

/** Is there something for me? All events of the channels that one is subscribed to, newest first. */
export function Inbox() {
  const filters = useFilters(FILTERS);
  const isFiltered = Object.keys(filters.values).length > 0;
  const [wanted, setFiltering] = useState<boolean | null>(null);
  const isFiltering = wanted ?? isFiltered;
  const inbox = useInbox(filters);
  useEventKeys();
  useKeys({ '/': () => setFiltering(true) });
  const { data, problem } = inbox;
  const isRefused = problem?.kind === 'refused' || problem?.kind === 'missing';
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <ReadAll inbox={inbox} />
          <button type="button" aria-expanded={isFiltering} onClick={() => setFiltering(!isFiltering)}>
            {texts.filter}
          </button>
        </>
      }
    >
      <WaitingNote />
      {isFiltering && <InboxFilters filters={filters} />}
      {isRefused && <ProblemNote problem={problem} retry={inbox.reload} />}
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && data.events.length === 0 && data.next === null && <NoEvents isFiltered={isFiltered} />}
      {data !== null && (data.events.length > 0 || data.next !== null) && (
        <>
          <Days events={data.events} />
          <Earlier
            filter={filters.values}
            next={data.next}
            searchedTo={data.searched_to}
            add={(more) => inbox.patch((before) => ({ ...more, events: [...before.events, ...more.events] }))}
          />
        </>
      )}
    </Page>
  );
}

/** Loaded again when something comes or is read, on whatever device; the earlier events that are shown stay. */
function useInbox({ key, values }: InboxFilters): Loaded<InboxPage> {
  const shown = useRef<InboxPage | null>(null);
  const load = async () => {
    const answer = await loadInbox(values);
    return answer.ok ? { ...answer, data: mergedInbox(shown.current, answer.data) } : answer;
  };
  const inbox = useLoad(key, load, ['inbox', 'read', 'channels', 'devices']);
  shown.current = inbox.data;
  return inbox;
}

/** Up to the newest that is shown of each workspace: what has come since is not seen. */
function ReadAll({ inbox }: { readonly inbox: Loaded<InboxPage> }) {
  const count = useShared(unread);
  const isShown = inbox.data?.events.some((event) => event.unread) ?? false;
  const readAll = async (): Promise<void> => {
    const events = inbox.data?.events.filter((event) => event.unread) ?? [];
    const newest = new Map([...events].reverse().map((event) => [event.workspace, event]));
    for (const event of newest.values()) await markRead(event);
    await inbox.reload();
  };
  if (count === 0 || !isShown) return null;
  return (
    <button type="button" onClick={() => void readAll()}>
      {texts.readAll}
    </button>
  );
}
