import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { serverNow } from '../../clock.ts';
import { useChannelSearch } from '../../components/channel-search.tsx';
import { Checks, Field, Options } from '../../components/forms/fields.tsx';
import { dataOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { common } from '../../texts/common.ts';
import { send, keys as texts } from '../../texts/senders.ts';
import { ChannelChoice } from './channel-choice.tsx';
import { SCOPES, termsOf } from './key-terms.ts';

interface Props {
  readonly workspace: string;
  readonly onIssued: (issued: Schema<'IssuedKey'>) => void;
  readonly onClose: () => void;
}

export function KeyForm({ workspace, onIssued, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const [hasNoScope, setNoScope] = useState(false);
  const channels = useChannelSearch([workspace]);
  const submit = async (event: SubmitEvent): Promise<void> => {
    const body = termsOf(dataOf(event), serverNow());
    setNoScope(body.scopes.length === 0);
    // Without chosen channels, the key would be for all.
    if (body.scopes.length === 0 || channels.data === null) return;
    const issued = await make(() => change('post', '/v1/workspaces/{workspace}/keys', { path: { workspace }, body }));
    if (issued !== null) onIssued(issued.data);
  };
  return (
    <FormDialog
      title={texts.issueTitle}
      label={texts.issue}
      isWorking={isWorking || channels.data === null}
      onSubmit={submit}
      {...{ problem, onClose }}
    >
      <Field label={texts.name} hint={texts.nameHint} error={problem?.fields.name}>
        <input name="name" required maxLength={255} autocomplete="off" />
      </Field>
      <Checks
        label={texts.scopes}
        name="scope"
        options={SCOPES}
        textOf={texts.scope}
        isChosen={(scope) => scope === 'events:write'}
        error={hasNoScope ? texts.noScope : problem?.fields.scopes}
      />
      <ChannelChoice of={channels} error={problem?.fields.channels} />
      <Field label={texts.expires} error={problem?.fields.expires_at}>
        <select name="life">
          <Options of={texts.lives} />
        </select>
      </Field>
      <Field label={texts.burst} hint={texts.burstHint} error={problem?.fields.burst_per_minute}>
        <input name="burst" type="number" inputMode="numeric" min={1} max={1_000_000} />
      </Field>
      <Field label={texts.level} hint={texts.levelHint} error={problem?.fields.level}>
        <select name="level">
          <Options of={{ '': texts.noDefault, ...common.levels }} />
        </select>
      </Field>
      <Field label={texts.urgency} error={problem?.fields.delivery_urgency}>
        <select name="delivery_urgency">
          <Options of={{ '': texts.noDefault, ...send.urgencies }} />
        </select>
      </Field>
    </FormDialog>
  );
}
