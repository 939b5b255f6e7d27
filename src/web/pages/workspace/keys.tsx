import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useLoad } from '../../api/use-load.ts';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { IssuedKey } from '../../manage/keys/issued-key.tsx';
import { KeyForm } from '../../manage/keys/key-form.tsx';
import { KeyRow } from '../../manage/keys/key-row.tsx';
import { RotateDialog } from '../../manage/keys/rotate-dialog.tsx';
import { rotationsOf } from '../../manage/keys/rotations.ts';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { Notice, useDone } from '../../manage/notice.tsx';
import { namesOf, useChannels } from '../../manage/use-channels.ts';
import { texts } from '../../texts/keys.ts';

type Key = Schema<'ApiKey'>;
/** What is open above the list. */
type Open =
  | { readonly kind: 'form' }
  | { readonly kind: 'issued'; readonly issued: Schema<'IssuedKey'> }
  | { readonly kind: 'rotate' | 'revoke'; readonly key: Key };

/** Which programs may post, and with what. */
function Keys({ workspace: { slug } }: ManagedProps) {
  const keys = useLoad(slug, () => ask('get', '/v1/workspaces/{workspace}/keys', { path: { workspace: slug } }), [
    'keys',
  ]);
  const channels = useChannels(slug);
  const names = namesOf(channels ?? []);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, finish] = useDone(keys.reload);
  const close = (): void => setOpen(null);
  const show = (issued: Schema<'IssuedKey'>): void => {
    setOpen({ kind: 'issued', issued });
    void keys.reload();
  };
  // A channel's name in the place of its slug would move what is below.
  const all = channels === null ? null : (keys.data?.api_keys ?? null);
  const rows = (ones: readonly Key[]) => (
    <ul class="list">
      {rotationsOf(ones).map(({ key, old }) => (
        <Fragment key={key.id}>
          <KeyRow apiKey={key} names={names} onAsk={(kind) => setOpen({ kind, key })} />
          {old.map((one) => (
            <KeyRow key={one.id} apiKey={one} names={names} isOld onAsk={(kind) => setOpen({ kind, key: one })} />
          ))}
        </Fragment>
      ))}
    </ul>
  );
  const working = all?.filter(({ status }) => status === 'active') ?? [];
  const ended = all?.filter(({ status }) => status !== 'active') ?? [];
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
      <ProblemNote problem={keys.problem} retry={keys.reload} />
      {all === null && keys.problem === null && <Skeleton label={texts.loading} />}
      {all !== null && working.length === 0 && <EmptyList words={texts} />}
      {working.length > 0 && rows(working)}
      {ended.length > 0 && (
        <>
          <h2 class="group">{texts.ended}</h2>
          {rows(ended)}
        </>
      )}
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
