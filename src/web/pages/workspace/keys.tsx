import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import { namesOf, useChannels } from '../../api/channels.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { Command } from '../../components/command.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialogs/dialog.tsx';
import { Choice } from '../../components/filters.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { listed } from '../../format/locale.ts';
import { KeyForm } from '../../manage/keys/key-form.tsx';
import { dated, FoldedLine, LineFact, Meta } from '../../manage/line.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { common } from '../../texts/common.ts';
import { keys as texts } from '../../texts/senders.ts';

type Key = Schema<'ApiKey'>;
/** The open part above the list. */
type Open =
  | { readonly kind: 'form' }
  | { readonly kind: 'issued'; readonly issued: Schema<'IssuedKey'> }
  | { readonly kind: 'rotate' | 'revoke'; readonly key: Key };

function Keys({ workspace: { slug } }: ManagedProps) {
  const list = useList(slug, {
    filters: ['q', 'status'],
    load({ q, status }, after) {
      const query = { q, status: status as Key['status'] | undefined, after };
      return ask('get', '/v1/workspaces/{workspace}/keys', { path: { workspace: slug }, query });
    },
    rowsOf: (page) => page.api_keys,
    kinds: ['keys'],
  });
  const channels = useChannels(slug);
  const names = namesOf(channels ?? []);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, finish] = useDone(list.pages.reload);
  const close = (): void => setOpen(null);
  const show = (issued: Schema<'IssuedKey'>): void => {
    setOpen({ kind: 'issued', issued });
    void list.pages.reload();
  };
  return (
    <Page
      title={texts.title}
      actions={<Button text={texts.issue} class="primary" onClick={() => setOpen({ kind: 'form' })} />}
    >
      <p class="about">{texts.about}</p>
      <List
        list={list}
        searchBy="q"
        words={texts}
        row={(key) => <KeyRow key={key.id} apiKey={key} names={names} onAsk={(kind) => setOpen({ kind, key })} />}
      >
        <Choice
          name="status"
          label={texts.status}
          value={list.filters.values.status}
          any={texts.anyStatus}
          options={texts.statuses}
        />
      </List>
      {open?.kind === 'form' && <KeyForm workspace={slug} onIssued={show} onClose={close} />}
      {open?.kind === 'issued' && <IssuedKey issued={open.issued} channel={channels?.[0]?.slug} onSaved={close} />}
      {open?.kind === 'rotate' && <RotateDialog workspace={slug} apiKey={open.key} onIssued={show} onClose={close} />}
      {open?.kind === 'revoke' && (
        <ConfirmDialog
          title={texts.revokeTitle(open.key.name)}
          action={texts.revoke}
          call={() =>
            change('post', '/v1/workspaces/{workspace}/keys/{key}/revoke', {
              path: { workspace: slug, key: open.key.id },
            })
          }
          onDone={() => finish({ text: texts.wasRevoked(open.key.name) })}
          onClose={close}
        >
          <p>{texts.revokeText}</p>
        </ConfirmDialog>
      )}
      <Notice done={done} />
    </Page>
  );
}

export default managed(Keys);

interface KeyRowProps {
  readonly apiKey: Schema<'ApiKey'>;
  /** The names of channels by slug. */
  readonly names: ReadonlyMap<string, string>;
  readonly onAsk: (what: 'rotate' | 'revoke') => void;
}

/** Shows a key and its use while closed; open, its rights. */
function KeyRow({ apiKey: key, names, onAsk }: KeyRowProps) {
  const isActive = key.status === 'active';
  const name = key.successor === null ? key.name : texts.old(key.name);
  return (
    <FoldedLine
      name={name}
      hasEnded={!isActive}
      facts={
        <>
          {!isActive && <LineFact>{texts.hasStatus[key.status]}</LineFact>}
          <LineFact isWide>
            {key.last_used_at === null ? texts.neverUsed : dated(texts.used, key.last_used_at)}
          </LineFact>
        </>
      }
    >
      <p class="entry-meta mono">pctl_{key.id}_…</p>
      <Meta parts={partsOf(key, names)} />
      {isActive && (
        <div class="actions">
          <Button text={texts.rotate} named={texts.rotateNamed(name)} onClick={() => onAsk('rotate')} />
          <Button text={texts.revoke} class="danger" named={texts.revokeNamed(name)} onClick={() => onAsk('revoke')} />
        </div>
      )}
    </FoldedLine>
  );
}

function partsOf(key: Schema<'ApiKey'>, names: KeyRowProps['names']): readonly ComponentChildren[] {
  const channels = key.channels?.map((slug) => names.get(slug) ?? slug);
  return [
    listed(key.scopes.map((scope) => texts.may[scope])),
    channels === undefined ? texts.anyChannel : listed(channels) || texts.noChannel,
    key.burst_per_minute !== null && texts.burstIs(key.burst_per_minute),
    key.level !== null && texts.levelIs(common.levels[key.level]),
    key.delivery_urgency !== null && texts.urgencyIs[key.delivery_urgency],
    key.last_used_at === null ? texts.neverUsed : dated(texts.used, key.last_used_at),
    dated(texts.created, key.created_at),
    key.status === 'revoked' && texts.hasStatus.revoked,
    key.expires_at !== null &&
      dated(key.status === 'expired' ? texts.hasStatus.expired : texts.expiresAt, key.expires_at),
  ];
}

interface IssuedKeyProps {
  readonly issued: Schema<'IssuedKey'>;
  /** A channel for trying an unbound key. */
  readonly channel: string | undefined;
  readonly onSaved: () => void;
}

/** Shows a key, once. Only confirming that it is saved closes the dialog. */
function IssuedKey({ issued, channel, onSaved }: IssuedKeyProps) {
  const { key, api_key } = issued;
  return (
    <Dialog title={texts.shownTitle} onClose={onSaved} mustAnswer wide done={texts.saved}>
      <p class="dialog-text">{texts.shownText}</p>
      <h3 class="dialog-group">{texts.copyKey}</h3>
      <Command text={key} />
      <h3 class="dialog-group">{api_key.scopes.includes('heartbeats:ping') ? texts.pingIt : texts.tryIt}</h3>
      <Command text={readyCommand(issued, api_key.channels?.[0] ?? channel ?? 'alerts')} />
    </Dialog>
  );
}

/** Returns a shell command that uses a new key at once. */
function readyCommand({ key, api_key }: Schema<'IssuedKey'>, channel: string): string {
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  if (api_key.scopes.includes('heartbeats:ping')) {
    return `curl -fsS -m 10 --retry 5 '${location.origin}/ping/${key}/backup?create=1'`;
  }
  if (!api_key.scopes.includes('events:write')) return `curl ${location.origin}/api/v1/channels \\\n  ${bearer}`;
  // Slugs have no special characters for shells or JSON.
  return `curl ${location.origin}/api/v1/events \\
  ${bearer} \\
  -H 'Content-Type: application/json' \\
  -d '{"channel": "${channel}", "title": "It works"}'`;
}

interface RotateDialogProps {
  readonly workspace: string;
  readonly apiKey: Schema<'ApiKey'>;
  readonly onIssued: (issued: Schema<'IssuedKey'>) => void;
  readonly onClose: () => void;
}

/** Rotates a key. After a conflict (already rotated), offers to repeat. */
function RotateDialog({ workspace, apiKey: { id, name }, onIssued, onClose }: RotateDialogProps) {
  const { problem, isWorking, make } = useChange();
  const [again, setAgain] = useState(false);
  const rotate = async (): Promise<void> => {
    const input = { path: { workspace, key: id }, body: { again } };
    const issued = await make(() => change('post', '/v1/workspaces/{workspace}/keys/{key}/rotate', input));
    if (issued !== null) onIssued(issued.data);
  };
  return (
    <Dialog title={texts.rotateTitle(name)} onClose={onClose}>
      <p class="dialog-text">{texts.rotateText}</p>
      <ProblemNote problem={problem} />
      {(problem?.kind === 'refused' || again) && (
        <label class="check">
          <input type="checkbox" checked={again} onChange={() => setAgain(!again)} />
          {texts.rotateAgain}
        </label>
      )}
      <div class="dialog-actions">
        <Button text={common.actions.cancel} onClick={onClose} />
        <Button text={texts.rotate} class="primary" isWorking={isWorking} onClick={rotate} />
      </div>
    </Dialog>
  );
}
