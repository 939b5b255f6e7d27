import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { Choice } from '../../components/filters.tsx';
import { Page } from '../../components/page.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { IssuedKey } from '../../manage/keys/issued-key.tsx';
import { KeyForm } from '../../manage/keys/key-form.tsx';
import { KeyRow } from '../../manage/keys/key-row.tsx';
import { RotateDialog } from '../../manage/keys/rotate-dialog.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { namesOf, useChannels } from '../../manage/use-channels.ts';
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
      actions={
        <button type="button" class="primary" onClick={() => setOpen({ kind: 'form' })}>
          {texts.issue}
        </button>
      }
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
