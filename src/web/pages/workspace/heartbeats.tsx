import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { Command } from '../../components/command.tsx';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { Choice } from '../../components/filters.tsx';
import { LevelMark } from '../../components/level-mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { HeartbeatForm } from '../../manage/heartbeats/heartbeat-form.tsx';
import { FoldedLine, LineFact } from '../../manage/line.tsx';
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

const LEVELS = { down: 'error', late: 'warning', new: 'info', up: 'success', paused: 'info' } as const;

interface Props {
  readonly workspace: string;
  readonly heartbeat: Heartbeat;
  /** These three are for entitled users. */
  readonly onChange?: () => Promise<void>;
  readonly onEdit?: () => void;
  readonly onRemove?: () => void;
}

/** Shows the state while closed; open, how the job reports. */
function HeartbeatEntry({ workspace, heartbeat, onChange, onEdit, onRemove }: Props) {
  const { name, channel_name: channel, state, last_ping_at: pinged, due_at: due } = heartbeat;
  const { ping_url: url, last_output: output, flaps_since: flapping } = heartbeat;
  const shown = texts.states[state];
  return (
    <FoldedLine
      name={name}
      mark={<LevelMark level={LEVELS[state]} />}
      facts={
        <>
          {pinged !== null && (
            <LineFact isWide>
              {texts.lastPing} <Moment at={pinged} dated />
            </LineFact>
          )}
          <LineFact>{flapping === null ? shown : texts.flaps(shown)}</LineFact>
        </>
      }
    >
      <p class="entry-meta">
        <span>
          {texts.channel} <bdi>{channel}</bdi>
        </span>
        {due !== null && (
          <span>
            {texts.due} <Moment at={due} dated />
          </span>
        )}
      </p>
      {url !== undefined && (
        <>
          <p>{texts.ping}</p>
          <Command text={`curl -fsS -m 10 --retry 5 ${url}`} />
        </>
      )}
      {output !== null && output !== '' && (
        <>
          <p>{texts.output}</p>
          <pre class="heartbeat-output" dir="auto">
            {output}
          </pre>
        </>
      )}
      {onChange && onEdit && onRemove && <Actions {...{ workspace, heartbeat, onChange, onEdit, onRemove }} />}
    </FoldedLine>
  );
}

function Actions({ workspace, heartbeat: { slug, name, state }, onChange, onEdit, onRemove }: Required<Props>) {
  const { isWorking, problem, make } = useChange();
  const isPaused = state === 'paused';
  const toggle = async (): Promise<void> => {
    const path = { workspace, heartbeat: slug };
    const address = `/v1/workspaces/{workspace}/heartbeats/{heartbeat}/${isPaused ? 'resume' : 'pause'}` as const;
    if ((await make(() => change('post', address, { path }))) !== null) await onChange();
  };
  return (
    <>
      <ProblemNote problem={problem} />
      <div class="actions">
        <Button text={texts.edit} named={texts.editOf(name)} onClick={onEdit} />
        <Button
          text={isPaused ? texts.resume : texts.pause}
          named={(isPaused ? texts.resumeOf : texts.pauseOf)(name)}
          isWorking={isWorking}
          onClick={toggle}
        />
        <Button text={texts.remove} class="danger" named={texts.removeOf(name)} onClick={onRemove} />
      </div>
    </>
  );
}
