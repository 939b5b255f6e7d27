import { useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import LiveAlerts from '../alerts/live-alerts.tsx';
import { liveAlerts } from '../api/alerts.ts';
import { type InboxFilter, type Inbox as InboxPage, loadInbox } from '../api/events.ts';
import { maintenanceOn } from '../api/maintenance.ts';
import { unread } from '../api/unread.ts';
import { type Change, useChange } from '../api/use-change.ts';
import { type Loaded, useLast, useLoad } from '../api/use-load.ts';
import { type Filters, useFilters } from '../components/filters.tsx';
import { Page, type PageProps } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { Toast } from '../components/toast.tsx';
import { WaitingNote } from '../components/waiting-note.tsx';
import ChosenEvent from '../inbox/chosen-event.tsx';
import { Days } from '../inbox/days.tsx';
import { Earlier } from '../inbox/earlier.tsx';
import InboxFilterBar from '../inbox/inbox-filters.tsx';
import { listedEvents } from '../inbox/listed-events.ts';
import { markAllShown } from '../inbox/mark-all.ts';
import { markedTogether } from '../inbox/marked-together.ts';
import NoEvents from '../inbox/no-events.tsx';
import { reloadedInbox } from '../inbox/reloaded.ts';
import UndoRead from '../inbox/undo-read.tsx';
import { inboxAddress, inboxIsAt, isPlaceWanted, listLeft, useListPlace } from '../list-place.ts';
import MaintenanceBanner from '../maintenance/maintenance-banner.tsx';
import { useShared } from '../shared.ts';
import { useEventKeys } from '../shell/use-event-keys.ts';
import { useKeys } from '../shell/use-keys.ts';
import { inbox as texts } from '../texts/inbox.ts';
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

interface ReadAllProps {
  readonly inbox: Loaded<InboxPage>;
  readonly filter: InboxFilter;
  readonly marking: Change;
}

/** Marks matching events as read, up to workspaces' newest shown: later ones were unseen. */
function ReadAll({ inbox, filter, marking: { isWorking, make } }: ReadAllProps) {
  const count = useShared(unread);
  const isShown = inbox.data?.events.some((event) => event.unread) ?? false;
  const readAll = async (page: InboxPage): Promise<void> => {
    await make(() => markAllShown(page, filter));
    await inbox.reload();
  };
  const { data } = inbox;
  if (count.events === 0 || !isShown || data === null) return null;
  return (
    <button type="button" aria-disabled={isWorking} onClick={() => void readAll(data)}>
      {texts.readAll}
    </button>
  );
}
