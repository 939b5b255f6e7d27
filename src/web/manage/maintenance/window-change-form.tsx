import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { dataOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { maintenance as texts } from '../../texts/channels.ts';
import { RecurrenceFields, TextFields, TimesFields } from './window-fields.tsx';
import { changesOf } from './window-terms.ts';

interface Props {
  readonly workspace: string;
  readonly window: Schema<'Maintenance'>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Changes a maintenance window. Once it is on, its start and `only` are fixed. */
export function WindowChangeForm({ workspace, window, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const isRecurring = window.cron !== null;
  const submit = async (event: SubmitEvent): Promise<void> => {
    const path = { workspace, channel: window.channel, maintenance: window.id };
    const body = changesOf(dataOf(event), window);
    const address = '/v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}';
    if ((await make(() => change('patch', address, { path, body }))) !== null) onDone();
  };
  const errors = problem?.fields ?? {};
  return (
    <FormDialog
      title={texts.changeTitle(window.channel_name)}
      label={texts.saveChange}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      {(!isRecurring || window.state === 'on') && <TimesFields window={window} errors={errors} />}
      {isRecurring && <RecurrenceFields window={window} errors={errors} />}
      <TextFields window={window} errors={errors} />
    </FormDialog>
  );
}
