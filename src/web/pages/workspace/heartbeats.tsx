import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { Choice } from '../../components/filters.tsx';
import { Page } from '../../components/page.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { HeartbeatEntry } from '../../manage/heartbeats/heartbeat-entry.tsx';
import { HeartbeatForm } from '../../manage/heartbeats/heartbeat-form.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { heartbeats as texts } from '../../texts/senders.ts';

type Heartbeat = Schema<'Heartbeat'>;
type Open =
  | { readonly kind: 'form'; readonly heartbeat: Heartbeat | null }
  | { readonly kind: 'remove'; readonly heartbeat: Heartbeat };

/** Shows the state of all jobs to every member. Owners and admins edit heartbeats. */
function Heartbeats({ workspace: { slug, role } }: ManagedProps) {
  const path = { workspace: slug };
  const list = useList(slug, {
    filters: ['q', 'state'],
    load({ q, state }, after) {
      const query = { q, state: state as Heartbeat['state'] | undefined, after };
      return ask('get', '/v1/workspaces/{workspace}/heartbeats', { path, query });
    },
    rowsOf: (page) => page.heartbeats,
    kinds: ['heartbeats', 'inbox', 'events'],
  });
  const [open, setOpen] = useState<Open | null>(null);
  const [done, finish] = useDone(list.pages.reload);
  const runs = role !== 'member';
  const close = (): void => setOpen(null);
  const saved = ({ name }: Heartbeat, isNew: boolean): void => {
    close();
    finish({ text: (isNew ? texts.wasAdded : texts.wasSaved)(name) });
  };
  return (
    <Page
      title={texts.title}
      actions={
        runs && <Button text={texts.add} class="primary" onClick={() => setOpen({ kind: 'form', heartbeat: null })} />
      }
    >
      <p class="about">{texts.about}</p>
      <List
        list={list}
        searchBy="q"
        words={{ ...texts, emptyText: runs ? texts.empty : texts.emptyForMembers }}
        row={(heartbeat) => (
          <HeartbeatEntry
            key={heartbeat.slug}
            workspace={slug}
            heartbeat={heartbeat}
            {...(runs && {
              onChange: list.pages.reload,
              onEdit: () => setOpen({ kind: 'form', heartbeat }),
              onRemove: () => setOpen({ kind: 'remove', heartbeat }),
            })}
          />
        )}
      >
        <Choice
          name="state"
          label={texts.state}
          value={list.filters.values.state}
          any={texts.anyState}
          options={texts.states}
        />
      </List>
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
