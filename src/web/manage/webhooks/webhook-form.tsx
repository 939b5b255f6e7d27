import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Checks, Field } from '../../components/forms/fields.tsx';
import { dataOf, textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { webhooks as texts } from '../../texts/senders.ts';

type Webhook = Schema<'Webhook'>;
type Kind = Webhook['kinds'][number];

interface Props {
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

export function WebhookForm({ workspace, webhook, onAdded, onSaved, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const [hasNoKind, setHasNoKind] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    const body = { url: textOf(event, 'url'), kinds: dataOf(event).getAll('kind') as Kind[] };
    setHasNoKind(body.kinds.length === 0);
    if (body.kinds.length === 0) return;
    if (webhook === null) {
      const issued = await make(() =>
        change('post', '/v1/workspaces/{workspace}/webhooks', { path: { workspace }, body }),
      );
      if (issued !== null) onAdded(issued.data);
      return;
    }
    const path = { workspace, webhook: webhook.id };
    const saved = await make(() => change('patch', '/v1/workspaces/{workspace}/webhooks/{webhook}', { path, body }));
    if (saved !== null) onSaved();
  };
  const wrong = problem?.fields ?? {};
  return (
    <FormDialog
      title={webhook === null ? texts.addTitle : texts.editTitle}
      {...(webhook !== null && { about: texts.editText })}
      label={webhook === null ? texts.add : texts.save}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      <Field label={texts.url} hint={texts.urlHint} error={wrong.url}>
        <input name="url" type="url" required maxLength={2048} autocomplete="off" defaultValue={webhook?.url} />
      </Field>
      <Checks
        label={texts.kinds}
        name="kind"
        options={KINDS}
        textOf={texts.kind}
        isChosen={(kind) => webhook?.kinds.includes(kind) ?? kind !== RARELY_WANTED}
        error={hasNoKind ? texts.noKind : wrong.kinds}
      />
    </FormDialog>
  );
}
