import { useState } from 'preact/hooks';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { serverNow } from '../../clock.ts';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { given } from '../../components/forms/given.ts';
import { Options } from '../../components/forms/options.tsx';
import { instantOf, wallTime, zoneHere } from '../../format/wall-clock.ts';
import { texts } from '../../texts/maintenance.ts';

interface Props {
  readonly workspace: string;
  readonly channel: Pick<Schema<'Channel'>, 'slug' | 'name'>;
  readonly onDone: (window: Schema<'Maintenance'>) => void;
  readonly onClose: () => void;
}

const LENGTHS = ['3600', '7200', '14400', '28800', ''] as const;

/** Starts a channel's maintenance, for hours or until a time. */
export function MaintenanceForm({ workspace, channel: { slug, name }, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const [length, setLength] = useState<string>('7200');
  const submit = async (event: SubmitEvent): Promise<void> => {
    const end =
      length === '' ? { until: instantOf(textOf(event, 'until'), zoneHere).toISOString() } : { for: Number(length) };
    const body = { ...end, ...given('only', textOf(event, 'only')), ...given('note', textOf(event, 'note')) };
    const path = { workspace, channel: slug };
    const done = await make(() =>
      change('post', '/v1/workspaces/{workspace}/channels/{channel}/maintenance', { path, body }),
    );
    if (done !== null) onDone(done.data.maintenance);
  };
  const wrong = problem?.fields ?? {};
  return (
    <FormDialog
      title={texts.title(name)}
      about={texts.about}
      label={texts.save}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      <Field label={texts.lasts} error={wrong.for}>
        <select name="length" onChange={({ currentTarget }) => setLength(currentTarget.value)}>
          <Options of={LENGTHS.map((value) => [value, texts.lengths[value]] as const)} chosen={length} />
        </select>
      </Field>
      {length === '' && (
        <Field label={texts.until} hint={texts.untilHint} error={wrong.until}>
          <input name="until" type="datetime-local" required min={wallTime(new Date(serverNow()), zoneHere)} />
        </Field>
      )}
      <Field label={texts.note} hint={texts.noteHint} error={wrong.note}>
        <input name="note" maxLength={500} autocomplete="off" />
      </Field>
      <Field label={texts.only} hint={texts.onlyHint} error={wrong.only}>
        <input name="only" class="mono" maxLength={255} autocomplete="off" />
      </Field>
    </FormDialog>
  );
}
