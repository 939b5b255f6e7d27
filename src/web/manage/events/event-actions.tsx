import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { events as texts } from '../../texts/workspace.ts';

interface Props {
  readonly event: Schema<'EventInFull'>;
  /** `text`: what was done. */
  readonly onDone: (text: string) => void;
}

/** Resends failed and expired pushes, withdraws waiting ones. Dialogs announce the effect. */
export function EventActions({ event, onDone }: Props) {
  const [open, setOpen] = useState<'resend' | 'cancel' | null>(null);
  const { workspace, public_id, deliveries, state } = event;
  const lost = deliveries.failed + deliveries.expired;
  const isScheduled = state === 'scheduled';
  const path = { workspace, public_id };
  const close = (): void => setOpen(null);
  if (lost === 0 && deliveries.pending === 0 && !isScheduled) return null;
  return (
    <div class="actions">
      {lost > 0 && (
        <button type="button" onClick={() => setOpen('resend')}>
          {texts.resend}
        </button>
      )}
      {(deliveries.pending > 0 || isScheduled) && (
        <button type="button" class="danger" onClick={() => setOpen('cancel')}>
          {texts.cancel}
        </button>
      )}
      {open === 'resend' && (
        <ConfirmDialog
          title={texts.resendTitle(lost)}
          action={texts.resend}
          call={() => change('post', '/v1/workspaces/{workspace}/events/{public_id}/resend', { path })}
          onDone={({ resent }) => onDone(texts.wasResent(resent))}
          onClose={close}
        >
          <p>{texts.resendText(deliveries.failed, deliveries.expired)}</p>
          <p>{texts.resendNot(deliveries.accepted)}</p>
          <p>{texts.resendLinks}</p>
        </ConfirmDialog>
      )}
      {open === 'cancel' && (
        <ConfirmDialog
          title={isScheduled ? texts.cancelScheduledTitle : texts.cancelTitle(deliveries.pending)}
          action={texts.cancel}
          call={() => change('post', '/v1/events/{public_id}/cancel', { path: { public_id } })}
          onDone={() => onDone(texts.wasCancelled)}
          onClose={close}
        >
          <p>{isScheduled ? texts.cancelScheduledText : texts.cancelText(deliveries.accepted)}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
