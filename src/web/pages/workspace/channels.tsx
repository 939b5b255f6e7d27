import { useState } from 'preact/hooks';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Choice, FilterBar } from '../../components/filters/filter-bar.tsx';
import { useFilters } from '../../components/filters/use-filters.ts';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { wantedChannels } from '../../manage/channels/channel-filter.ts';
import { ChannelForm } from '../../manage/channels/channel-form.tsx';
import { ChannelRow } from '../../manage/channels/channel-row.tsx';
import { QuietForm } from '../../manage/channels/quiet-form.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { type Done, Notice, useDone } from '../../manage/notice.tsx';
import { useLiveChannels } from '../../manage/use-channels.ts';
import { texts as shared } from '../../texts/manage.ts';
import { texts as quietTexts } from '../../texts/quiet-hours.ts';
import { texts } from '../../texts/workspace-channels.ts';

type Channel = Schema<'Channel'>;
type Open = { readonly kind: 'create' } | { readonly kind: 'rename' | 'quiet' | 'remove'; readonly channel: Channel };

/** So many rows are drawn; a search looks at all. */
const AT_ONCE = 100;

/** Where events go, and how many devices listen there. */
function Channels({ workspace: { slug } }: ManagedProps) {
  const path = { workspace: slug };
  const channels = useLiveChannels(slug);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, say] = useDone(channels.reload);
  const switching = useChange();
  const close = (): void => setOpen(null);
  const finish = (what: Done | null): void => {
    close();
    say(what);
  };
  const switchTo = async (channel: Channel, status: Channel['status']): Promise<void> => {
    const input = { path: { ...path, channel: channel.slug }, body: { status } };
    const made = await switching.make(() => change('patch', '/v1/workspaces/{workspace}/channels/{channel}', input));
    if (made === null) return;
    finish(
      status === 'active'
        ? { text: texts.isActive(channel.name) }
        : { text: texts.isInactive(channel.name), undo: () => switchTo(channel, 'active') },
    );
  };
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
        <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
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
      <ProblemNote problem={switching.problem} />
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
              onAsk={(kind) => setOpen({ kind, channel })}
              isSwitching={switching.isWorking}
              onSwitch={() => void switchTo(channel, channel.status === 'active' ? 'inactive' : 'active')}
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
      {(open?.kind === 'create' || open?.kind === 'rename') && (
        <ChannelForm
          workspace={slug}
          channel={open.kind === 'rename' ? open.channel : null}
          onDone={({ name }) => finish(open.kind === 'create' ? { text: texts.wasCreated(name) } : null)}
          onClose={close}
        />
      )}
      {open?.kind === 'quiet' && (
        <QuietForm
          workspace={slug}
          channel={open.channel}
          onDone={(channel) =>
            finish({ text: quietTexts[channel.quiet === null ? 'wereEnded' : 'wereSet'](channel.name) })
          }
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removeTitle(open.channel.name)}
          action={texts.remove}
          call={() =>
            change('delete', '/v1/workspaces/{workspace}/channels/{channel}', {
              path: { ...path, channel: open.channel.slug },
            })
          }
          onDone={() => finish({ text: texts.wasRemoved(open.channel.name) })}
          onClose={close}
        >
          <p>{texts.removeText(open.channel.device_count)}</p>
        </ConfirmDialog>
      )}
      <Notice done={done} />
    </Page>
  );
}

export default managed(Channels);
