import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Field, Options } from '../../components/forms/fields.tsx';
import { dataOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { maintenance as texts } from '../../texts/channels.ts';
import { OnceFields, RecurrenceFields, TextFields } from './window-fields.tsx';
import { windowOf } from './window-terms.ts';

interface Props {
  readonly workspace: string;
  readonly channel: Pick<Schema<'Channel'>, 'slug' | 'name'>;
  /** Whether it starts later, or recurs. */
  readonly isPlanned: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Starts a channel's maintenance, or plans it. */
export function MaintenanceForm({ workspace, channel: { slug, name }, isPlanned, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const [isRecurring, setIsRecurring] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    const path = { workspace, channel: slug };
    const body = windowOf(dataOf(event));
    const address = '/v1/workspaces/{workspace}/channels/{channel}/maintenance';
    if ((await make(() => change('post', address, { path, body }))) !== null) onDone();
  };
  const errors = problem?.fields ?? {};
  return (
    <FormDialog
      title={(isPlanned ? texts.planTitle : texts.title)(name)}
      about={texts.about}
      label={isPlanned ? texts.savePlan : texts.save}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      {isPlanned && (
        <Field label={texts.repeats}>
          <select onChange={({ currentTarget }) => setIsRecurring(currentTarget.value === 'cron')}>
            <Options of={texts.repetitions} chosen={isRecurring ? 'cron' : 'once'} />
          </select>
        </Field>
      )}
      {isRecurring ? <RecurrenceFields errors={errors} /> : <OnceFields isPlanned={isPlanned} errors={errors} />}
      <TextFields errors={errors} />
    </FormDialog>
  );
}
