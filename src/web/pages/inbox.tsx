import { useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { LiveAlerts } from '../alerts/alert-list.tsx';
import { liveAlerts } from '../api/alerts.ts';
import { type InboxFilter, type Inbox as InboxPage, loadInbox } from '../api/events.ts';
import { mergedInbox, withChosen, withMarks } from '../api/merged-lists.ts';
import { useChange } from '../api/use-change.ts';
import { type Loaded, useLast, useLoad } from '../api/use-load.ts';
import { Button } from '../components/button.tsx';
import { Command } from '../components/command.tsx';
import { type Filters, useFilters } from '../components/filters.tsx';
import { Empty, Skeleton } from '../components/loading.tsx';
import { MaintenanceBanner, maintenanceOn } from '../components/maintenance-banner.tsx';
import { Page, type PageProps } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Toast } from '../components/toast.tsx';
import { msOf, times } from '../format/time.ts';
import ChosenEvent from '../inbox/chosen-event.tsx';
import { Days } from '../inbox/days.tsx';
import InboxFilterBar from '../inbox/inbox-filters.tsx';
import { listedEvents } from '../inbox/listed-events.ts';
import { markedTogether, ReadAll, UndoRead } from '../inbox/read-all.tsx';
import { inboxAddress, inboxIsAt, isPlaceWanted, listLeft, useListPlace } from '../list-place.ts';
import { usePerson, useRunWorkspaces } from '../session.ts';
import { useShared } from '../shared.ts';
import { useEventKeys, useKeys } from '../shell/keys.ts';
import { waiting } from '../texts/common.ts';
import { noEvents, inbox as texts } from '../texts/inbox.ts';
import { workspaceNames } from '../workspace-names.ts';

const FILTERS = ['workspace', 'channel', 'level', 'q', 'unread'] as const;
/** Ended alerts until the alerts are loaded. */
const NOT_KNOWN = { alerts: [], next: '' };
type InboxFilters = Filters<(typeof FILTERS)[number]>;

/** Shows the inbox, on wide screens beside the chosen event. */
export function Inbox({ event, isWide }: PageProps) {
  if (!isWide) return <List />;
  return (
    <div class="split">
      <div class="split-list">
        <List chosen={event} />
      </div>
      <ChosenEvent event={event} />
    </div>
  );
}

/** Lists all events of subscribed channels, newest first. `chosen`: the event beside. */
function List({ chosen }: { readonly chosen?: string | undefined }) {
  const { url, path } = useLocation();
  // While another page loads, this one is shown at its address.
  if (path === '/' || path === '/inbox') inboxIsAt(url);
  const filters = useFilters(FILTERS, inboxAddress());
  const { isFiltered } = filters;
  const [wanted, setFiltering] = useState<boolean | null>(null);
  const isFiltering = wanted ?? isFiltered;
  const inbox = useInbox(filters, chosen);
  const marked = useShared(markedTogether);
  const live = useShared(liveAlerts);
  useEventKeys();
  useKeys({ '/': () => setFiltering(true) });
  const { problem } = inbox;
  const maintenance = useShared(maintenanceOn);
  const windowsOn = maintenance?.data?.windows ?? [];
  // Events await alerts and banner above: nothing moves later.
  const isHeadKnown = live !== null && maintenance !== null;
  const data = isHeadKnown ? inbox.data : null;
  const marking = useChange();
  const alerts = isFiltered ? null : live?.data;
  const names = useShared(workspaceNames);
  const known = live?.data ?? NOT_KNOWN;
  const events = useMemo(() => listedEvents(data?.events ?? [], known, !isFiltered), [data?.events, known, isFiltered]);
  const isRefused = problem?.kind === 'refused' || problem?.kind === 'missing';
  return (
    <Page
      title={texts.title}
      namesTab={chosen === undefined}
      actions={
        <>
          <ReadAll inbox={inbox} filter={filters.values} marking={marking} />
          <button type="button" aria-expanded={isFiltering} onClick={() => setFiltering(!isFiltering)}>
            {texts.filter}
          </button>
        </>
      }
    >
      <ProblemNote problem={marking.problem} />
      <WaitingNote />
      {data !== null && windowsOn.length > 0 && <MaintenanceBanner windows={windowsOn} />}
      {isFiltering && <InboxFilterBar filters={filters} unread={data?.unread ?? []} />}
      {isRefused && <ProblemNote problem={problem} retry={inbox.reload} />}
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && alerts && alerts.alerts.length > 0 && <LiveAlerts page={alerts} />}
      {data !== null && data.events.length === 0 && data.next === null && <NoEvents isFiltered={isFiltered} />}
      {data !== null && (data.events.length > 0 || data.next !== null) && (
        <>
          {/* Rows show workspace names, so they render again with these. */}
          <Days key={[...names.values()].join()} events={events} />
          <Earlier
            filter={filters.values}
            next={data.next}
            searchedTo={data.searched_to}
            add={(more, from) =>
              // After a reload meanwhile, events between both parts would be missing.
              inbox.patch((before) =>
                before.next === from ? { ...more, events: [...before.events, ...more.events] } : before,
              )
            }
          />
        </>
      )}
      <Toast>{marked !== null && <UndoRead ids={marked} />}</Toast>
    </Page>
  );
}

/** Loads the inbox; reloads it after arrivals and reads on any device. Earlier events stay. */
function useInbox({ key, values }: InboxFilters, chosen: string | undefined): Loaded<InboxPage> {
  // The router sets this; its types lack it.
  const { wasPush } = useLocation() as ReturnType<typeof useLocation> & { readonly wasPush: boolean };
  const place = `inbox ${inboxAddress()}`;
  const [before] = useState(() => listLeft<InboxPage>(place));
  const [isReturning] = useState(() => isPlaceWanted() || !wasPush);
  const shown = useRef<InboxPage | null>(before);
  const load = async () => {
    const answer = await loadInbox(values);
    const before = shown.current;
    if (!answer.ok || before === null) return answer;
    const isLonger = before.events.length > answer.data.events.length;
    return { ...answer, data: await reloadedInbox(answer.data, values, chosen, isLonger) };
  };
  const inbox = useLoad(key, load, ['inbox', 'read', 'channels', 'devices', 'alerts'], before);
  shown.current = inbox.data;
  useListPlace(place, shown, isReturning);
  return { ...inbox, data: useLast(inbox) };
}

/**
 * Returns how to merge a reloaded first page. `isLonger`: the list is longer, so the rest's read marks are loaded, too.
 * `chosen`: the event beside, which stays among unread ones until another is chosen.
 */
async function reloadedInbox(
  newest: InboxPage,
  filter: InboxFilter,
  chosen: string | undefined,
  isLonger: boolean,
): Promise<(shown: InboxPage | null) => InboxPage> {
  const unread = isLonger ? await loadInbox({ ...filter, unread: 'true' }, { limit: 100 }) : null;
  return (shown) => {
    if (shown === null) return newest;
    const merged = mergedInbox(shown, newest);
    const marked = unread?.ok ? { ...merged, events: [...withMarks(merged.events, unread.data)] } : merged;
    return filter.unread === 'true' ? withChosen(shown, marked, chosen) : marked;
  };
}

interface EarlierProps {
  readonly filter: InboxFilter;
  readonly next: string | null;
  /** How far back the search went. */
  readonly searchedTo: string | null | undefined;
  /** `from`: the requested `next`. */
  readonly add: (page: InboxPage, from: string) => void;
}

/** The list's end, or the way on. */
function Earlier({ filter, next, searchedTo, add }: EarlierProps) {
  const { isWorking, problem, make } = useChange();
  if (next === null) return <p class="end">{texts.end}</p>;
  const load = async (): Promise<void> => {
    const loaded = await make(() => loadInbox(filter, { before: next }));
    if (loaded !== null) add(loaded.data, next);
  };
  return (
    <div class="end">
      <ProblemNote problem={problem} />
      {searchedTo && <p>{texts.searchedTo(times.exact(msOf(searchedTo)))}</p>}
      <Button text={texts.earlier} isWorking={isWorking} onClick={load} />
    </div>
  );
}

/** Names workspaces for which this session needs an invitation link. */
function WaitingNote() {
  const names = usePerson()?.waiting.map(({ name }) => name) ?? [];
  if (names.length === 0) return null;
  return (
    <p class="note">
      {waiting.waits(names)} {waiting.open}
    </p>
  );
}

function NoEvents({ isFiltered }: { readonly isFiltered: boolean }) {
  const run = useRunWorkspaces();
  if (isFiltered) {
    return (
      <Empty title={noEvents.nonePass}>
        <p>
          <a class="link" href="/">
            {noEvents.showAll}
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title={noEvents.title}>
      <p>{noEvents.subscribe}</p>
      <p>
        <a class="link" href="/devices">
          {noEvents.toDevices}
        </a>
      </p>
      {run.length > 0 && (
        <>
          <p>{noEvents.send}</p>
          {run.map(({ slug, name }) => (
            <p key={slug}>
              <a class="link" href={`/w/${slug}/keys`}>
                {noEvents.toKeys(name)}
              </a>
            </p>
          ))}
          <Command text={curl(location.origin)} />
        </>
      )}
    </Empty>
  );
}

function curl(origin: string): string {
  return `curl ${origin}/api/v1/events \\
  -H 'Authorization: Bearer pctl_…' -H 'Content-Type: application/json' \\
  -d '{"channel": "…", "title": "It works"}'`;
}
