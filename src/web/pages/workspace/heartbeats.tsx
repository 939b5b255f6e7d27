import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useLoad } from '../../api/use-load.ts';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { byName } from '../../format/by-name.ts';
import { HeartbeatEntry } from '../../manage/heartbeats/heartbeat-entry.tsx';
import { HeartbeatForm } from '../../manage/heartbeats/heartbeat-form.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { Notice, useDone } from '../../manage/notice.tsx';
import { texts } from '../../texts/heartbeats.ts';

type Heartbeat = Schema<'Heartbeat'>;
type Open =
  | { readonly kind: 'form'; readonly heartbeat: Heartbeat | null }
  | { readonly kind: 'remove'; readonly heartbeat: Heartbeat };

/** What wants a look comes first. */
const ORDER: readonly Heartbeat['state'][] = ['down', 'late', 'new', 'up', 'paused'];

/** Do all jobs report? Every member sees it; owners and admins add, edit, pause and remove. */
function Heartbeats({ workspace: { slug, role } }: ManagedProps) {
  const path = { workspace: slug };
  const { data, problem, reload } = useLoad(slug, () => ask('get', '/v1/workspaces/{workspace}/heartbeats', { path }), [
    'heartbeats',
    'inbox',
    'events',
  ]);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, finish] = useDone(reload);
  const runs = role !== 'member';
  const close = (): void => setOpen(null);
  const saved = ({ name }: Heartbeat, isNew: boolean): void => {
    close();
    finish({ text: (isNew ? texts.wasAdded : texts.wasSaved)(name) });
  };
  const all = [...(data?.heartbeats ?? [])].sort(
    (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || byName(one.name, other.name),
  );
  return (
    <Page
      title={texts.title}
      actions={
        runs && (
          <button type="button" class="primary" onClick={() => setOpen({ kind: 'form', heartbeat: null })}>
            {texts.add}
          </button>
        )
      }
    >
      <p class="about">{texts.about}</p>
      {problem?.kind === 'refused' && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && all.length === 0 && (
        <Empty title={texts.emptyTitle}>
          <p>{runs ? texts.empty : texts.emptyForMembers}</p>
        </Empty>
      )}
      {all.length > 0 && (
        <ul class="list">
          {all.map((one) => (
            <HeartbeatEntry
              key={one.slug}
              workspace={slug}
              heartbeat={one}
              {...(runs && {
                onChange: reload,
                onEdit: () => setOpen({ kind: 'form', heartbeat: one }),
                onRemove: () => setOpen({ kind: 'remove', heartbeat: one }),
              })}
            />
          ))}
        </ul>
      )}
      {open?.kind === 'form' && (
        <HeartbeatForm
          workspace={slug}
          heartbeat={open.heartbeat}
          onDone={(heartbeat) => saved(heartbeat, open.heartbeat === null)}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removeTitle(open.heartbeat.name)}
          action={texts.remove}
          call={() =>
            change('delete', '/v1/workspaces/{workspace}/heartbeats/{heartbeat}', {
              path: { ...path, heartbeat: open.heartbeat.slug },
            })
          }
          onDone={() => finish({ text: texts.wasRemoved(open.heartbeat.name) })}
          onClose={close}
        >
          <p>{texts.removeText}</p>
        </ConfirmDialog>
      )}
      <Notice done={done} />
    </Page>
  );
}

export default managed(Heartbeats, { forMembers: true });
