import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import type { Answer } from '../../api/problem.ts';
import { Command } from '../../components/command.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialogs/dialog.tsx';
import { Checks, Field } from '../../components/forms/fields.tsx';
import { textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { webhooks as texts } from '../../texts/senders.ts';

type Issued = Schema<'WebhookWithItsSecret'>;

export type OpenWebhook =
  | { readonly kind: 'form'; readonly webhook: Schema<'Webhook'> | null }
  | { readonly kind: 'rotate' | 'disable' | 'remove'; readonly webhook: Schema<'Webhook'> }
  | { readonly kind: 'issued'; readonly issued: Issued };

interface Props {
  readonly workspace: string;
  readonly open: OpenWebhook;
  /** A new secret is shown next. */
  readonly onIssued: (issued: Issued) => void;
  /** `text`: what was done. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function WebhookDialogs({ workspace, open, onIssued, onDone, onClose }: Props) {
  if (open.kind === 'issued') return <IssuedSecret secret={open.issued.secret} onSaved={onClose} />;
  if (open.kind === 'form') {
    return (
      <WebhookForm
        webhook={open.webhook}
        onAdded={onIssued}
        onSaved={() => onDone(texts.wasSaved)}
        {...{ workspace, onClose }}
      />
    );
  }
  const { url, id } = open.webhook;
  const path = { workspace, webhook: id };
  if (open.kind === 'rotate') {
    return (
      <ConfirmDialog
        title={texts.rotateTitle}
        action={texts.rotate}
        call={() => change('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/rotate', { path })}
        onDone={onIssued}
        onClose={onClose}
      >
        <p>{url}</p>
        <p>{texts.rotateText}</p>
      </ConfirmDialog>
    );
  }
  const isRemoval = open.kind === 'remove';
  const address = '/v1/workspaces/{workspace}/webhooks/{webhook}';
  return (
    <ConfirmDialog<unknown>
      title={isRemoval ? texts.removeTitle : texts.disableTitle}
      action={isRemoval ? texts.remove : texts.disable}
      call={() =>
        isRemoval
          ? change('delete', address, { path })
          : change('patch', address, { path, body: { status: 'disabled' } })
      }
      onDone={() => onDone(isRemoval ? texts.wasRemoved : texts.wasDisabled)}
      onClose={onClose}
    >
      <p>{url}</p>
      <p>{isRemoval ? texts.removeText : texts.disableText}</p>
    </ConfirmDialog>
  );
}

function IssuedSecret({ secret, onSaved }: { readonly secret: string; readonly onSaved: () => void }) {
  return (
    <Dialog title={texts.shownTitle} onClose={onSaved} mustAnswer wide done={texts.saved}>
      <p class="dialog-text">{texts.shownText}</p>
      <h3 class="dialog-group">{texts.secret}</h3>
      <Command text={secret} />
    </Dialog>
  );
}

type Webhook = Schema<'Webhook'>;
type Kind = Webhook['kinds'][number];

interface WebhookFormProps {
  readonly workspace: string;
  /** The webhook; null: a new one. */
  readonly webhook: Webhook | null;
  readonly onAdded: (issued: Schema<'WebhookWithItsSecret'>) => void;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

const KINDS = Object.keys(texts.kind) as Kind[];
/** The kind that would send a message for every event of a workspace. */
const RARELY_WANTED: Kind = 'event.settled';

function WebhookForm({ workspace, webhook, onAdded, onSaved, onClose }: WebhookFormProps) {
  const [hasNoKind, setHasNoKind] = useState(false);
  const check = (form: FormData): boolean => {
    setHasNoKind(!form.has('kind'));
    return form.has('kind');
  };
  const send = (form: FormData): Promise<Answer<Issued | Pick<Issued, 'webhook'>>> => {
    const body = { url: textOf(form, 'url'), kinds: form.getAll('kind') as Kind[] };
    if (webhook === null) return change('post', '/v1/workspaces/{workspace}/webhooks', { path: { workspace }, body });
    const path = { workspace, webhook: webhook.id };
    return change('patch', '/v1/workspaces/{workspace}/webhooks/{webhook}', { path, body });
  };
  return (
    <FormDialog
      title={webhook === null ? texts.addTitle : texts.editTitle}
      about={webhook === null ? undefined : texts.editText}
      label={webhook === null ? texts.add : texts.save}
      onDone={(answer) => ('secret' in answer ? onAdded(answer) : onSaved())}
      {...{ check, send, onClose }}
    >
      <Field label={texts.url} hint={texts.urlHint} field="url">
        <input name="url" type="url" required maxLength={2048} autocomplete="off" defaultValue={webhook?.url} />
      </Field>
      <Checks
        label={texts.kinds}
        name="kind"
        options={KINDS}
        textOf={texts.kind}
        isChosen={(kind) => webhook?.kinds.includes(kind) ?? kind !== RARELY_WANTED}
        field="kinds"
        error={hasNoKind ? texts.noKind : undefined}
      />
    </FormDialog>
  );
}
