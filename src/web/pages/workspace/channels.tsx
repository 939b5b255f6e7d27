import { useState } from 'preact/hooks';
import { Choice, FilterBar } from '../../components/filters/filter-bar.tsx';
import { useFilters } from '../../components/filters/use-filters.ts';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { wantedChannels } from '../../manage/channels/channel-filter.ts';
import { ChannelForm } from '../../manage/channels/channel-form.tsx';
import { ChannelRow } from '../../manage/channels/channel-row.tsx';
import { useChannelActions } from '../../manage/channels/use-channel-actions.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { Notice, useDone } from '../../manage/notice.tsx';
import { useLiveChannels } from '../../manage/use-channels.ts';
import { texts as shared } from '../../texts/manage.ts';
import { texts } from '../../texts/workspace-channels.ts';

/** So many rows are drawn; a search looks at all. */
const AT_ONCE = 100;

/** Where events go, and how many devices listen there. */
function Channels({ workspace: { slug } }: ManagedProps) {
  const channels = useLiveChannels(slug);
  const [isCreating, setCreating] = useState(false);
  const [done, say] = useDone(channels.reload);
  const actions = useChannelActions(slug, say);
  const all = channels.data ?? undefined;
  const filters = useFilters(['q', 'status']);
  const { q, status } = filters.values;
  const found = wantedChannels(all ?? [], filters.values);
  const [most, setMost] = useState(AT_ONCE);
  const shown = found.slice(0, most);
  return (
    <Page
      title={texts.title}
      actions={
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          {texts.create}
        </button>
      }
    >
      {all !== undefined && all.length > 0 && (
        <FilterBar label={texts.filters} onSubmit={filters.submit}>
          <input type="search" name="q" defaultValue={q} placeholder={texts.search} aria-label={texts.search} />
          <Choice name="status" label={texts.status} value={status} any={texts.anyStatus} options={texts.statuses} />
        </FilterBar>
      )}
      <ProblemNote problem={actions.problem} />
      <ProblemNote problem={channels.problem} retry={channels.reload} />
      {all === undefined && channels.problem === null && <Skeleton label={texts.loading} />}
      {all?.length === 0 && <EmptyList words={texts} />}
      {shown.length > 0 && (
        <ul class="list lines">
          {shown.map((channel) => (
            <ChannelRow
              key={channel.slug}
              workspace={slug}
              channel={channel}
              onAsk={(what) => actions.ask(what, channel)}
              isSwitching={actions.isSwitching}
            />
          ))}
        </ul>
      )}
      {shown.length < found.length && (
        <p class="end">
          {texts.shown(shown.length, found.length)}{' '}
          <button type="button" onClick={() => setMost(most + AT_ONCE)}>
            {shared.more}
          </button>
        </p>
      )}
      {all !== undefined && all.length > 0 && shown.length === 0 && <EmptyList words={null} />}
      {isCreating && (
        <ChannelForm
          workspace={slug}
          channel={null}
          onDone={({ name }) => {
            setCreating(false);
            say({ text: texts.wasCreated(name) });
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {actions.dialog}
      <Notice done={done} />
    </Page>
  );
}

export default managed(Channels);
