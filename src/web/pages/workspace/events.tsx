import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { ChannelSelect } from '../../components/channels/channel-select.tsx';
import { useChannelSearch } from '../../components/channels/use-channel-search.ts';
import { Choice, FilterBar } from '../../components/filters/filter-bar.tsx';
import { type Filters, useFilters } from '../../components/filters/use-filters.ts';
import { LevelMark } from '../../components/level-mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { OutcomeCounts } from '../../manage/events/outcome-counts.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { PageList } from '../../manage/page-list.tsx';
import { useEventKeys } from '../../shell/use-event-keys.ts';
import { common } from '../../texts/common.ts';
import { texts as shared } from '../../texts/manage.ts';
import { texts } from '../../texts/workspace-events.ts';

type Level = Schema<'EventWithCounts'>['level'];
type Filter = 'q' | 'level' | 'channel' | 'since' | 'scheduled';

/** All that was posted, and how far its pushes are. */
function Events({ workspace: { slug } }: ManagedProps) {
  useEventKeys();
  const filters = useFilters<Filter>(['q', 'level', 'channel', 'since', 'scheduled']);
  const events = usePages(
    `${slug} ${filters.key}`,
    (before) => {
      const { q, since, channel, scheduled } = filters.values;
      const narrowed = { channel, level: filters.values.level as Level | undefined, before };
      const query = scheduled === undefined ? { ...narrowed, q, since } : { ...narrowed, scheduled: true };
      return ask('get', '/v1/workspaces/{workspace}/events', { path: { workspace: slug }, query });
    },
    (page) => page.events,
    ['events'],
  );
  return (
    <Page
      title={texts.title}
      actions={
        <a class="button" href={`/w/${slug}/send`}>
          {texts.send}
        </a>
      }
    >
      <EventFilters workspace={slug} filters={filters} />
      <PageList
        pages={events}
        label={texts.title}
        row={(event) => (
          <EventEntry key={event.public_id} event={event} isScheduled={filters.values.scheduled !== undefined} />
        )}
        empty={<EmptyList words={filters.isFiltered ? null : texts} />}
      />
    </Page>
  );
}

function EventFilters({ workspace, filters }: { readonly workspace: string; readonly filters: Filters<Filter> }) {
  const { q, level, channel, since, scheduled } = filters.values;
  const channels = useChannelSearch([workspace], { chosen: channel });
  const { label, ...times } = shared.since;
  return (
    <FilterBar label={texts.filters} onSubmit={filters.submit}>
      {scheduled === undefined && (
        <input type="search" name="q" defaultValue={q} placeholder={texts.search} aria-label={texts.search} />
      )}
      <Choice name="level" label={texts.level} value={level} any={texts.anyLevel} options={common.levels} />
      <ChannelSelect of={channels} label={texts.channel} chosen={channel} any={texts.anyChannel} />
      {scheduled === undefined && <Choice name="since" label={label} value={since} options={times} />}
      <Choice name="scheduled" label={texts.state} value={scheduled} any={texts.posted} options={texts.scheduledOnly} />
    </FilterBar>
  );
}

interface EntryProps {
  readonly event: Schema<'EventWithCounts'>;
  readonly isScheduled: boolean;
}

function EventEntry({ event, isScheduled }: EntryProps) {
  const isUrgent = event.delivery_urgency === 'time_sensitive';
  return (
    <li class={isUrgent ? 'event event-urgent' : 'event'}>
      <LevelMark level={event.level} />
      <a class="event-title" dir="auto" href={`/w/${event.workspace}/events/${event.public_id}`}>
        {event.title}
      </a>
      <Moment at={(isScheduled ? event.send_at : null) ?? event.received_at} dated />
      <p class="event-meta">
        <bdi>{event.channel_name ?? texts.test}</bdi>
        {isUrgent && <span class="urgent">{common.urgent}</span>}
        <OutcomeCounts counts={event.deliveries} />
      </p>
    </li>
  );
}

export default managed(Events);
