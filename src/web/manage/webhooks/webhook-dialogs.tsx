import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { Command } from '../../components/command.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialogs/dialog.tsx';
import { webhooks as texts } from '../../texts/senders.ts';
import { WebhookForm } from './webhook-form.tsx';

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
