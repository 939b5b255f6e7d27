import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { ChannelSelect, useChannelSearch } from '../../components/channel-search.tsx';
import { Choice } from '../../components/filters.tsx';
import { LevelMark } from '../../components/level-mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { OutcomeCounts } from '../../manage/events/outcome-counts.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { useEventKeys } from '../../shell/keys.ts';
import { common, lists as shared } from '../../texts/common.ts';
import { events as texts } from '../../texts/workspace.ts';

type Level = Schema<'EventWithCounts'>['level'];

function Events({ workspace: { slug } }: ManagedProps) {
  useEventKeys();
  const list = useList(slug, {
    filters: ['q', 'level', 'channel', 'since', 'scheduled'],
    load({ q, since, channel, level, scheduled }, before) {
      const narrowed = { channel, level: level as Level | undefined, before };
      const query = scheduled === undefined ? { ...narrowed, q, since } : { ...narrowed, scheduled: true };
      return ask('get', '/v1/workspaces/{workspace}/events', { path: { workspace: slug }, query });
    },
    rowsOf: (page) => page.events,
    kinds: ['events'],
    order: 'time',
  });
  const { level, channel, since, scheduled } = list.filters.values;
  const channels = useChannelSearch([slug], { chosen: channel });
  const { label, ...times } = shared.since;
  return (
    <Page
      title={texts.title}
      actions={
        <a class="button" href={`/w/${slug}/send`}>
          {texts.send}
        </a>
      }
    >
      <List
        list={list}
        searchBy={scheduled === undefined ? 'q' : null}
        words={texts}
        row={(event) => <EventEntry key={event.public_id} event={event} isScheduled={scheduled !== undefined} />}
      >
        <Choice name="level" label={texts.level} value={level} any={texts.anyLevel} options={common.levels} />
        <ChannelSelect of={channels} label={texts.channel} chosen={channel} any={texts.anyChannel} />
        {scheduled === undefined && <Choice name="since" label={label} value={since} options={times} />}
        <Choice
          name="scheduled"
          label={texts.state}
          value={scheduled}
          any={texts.posted}
          options={texts.scheduledOnly}
        />
      </List>
    </Page>
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
