import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Field, TimeZones } from '../../components/forms/fields.tsx';
import { dataOf, textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { quietHours as texts } from '../../texts/channels.ts';
import { DAYS, type Day, type QuietHours, shortDay } from './quiet-words.ts';

interface Props {
  readonly workspace: string;
  readonly channel: Schema<'Channel'>;
  readonly onDone: (channel: Schema<'Channel'>) => void;
  readonly onClose: () => void;
}

export function QuietForm({ workspace, channel: { slug, name, quiet }, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const save = async (wanted: QuietHours | null): Promise<void> => {
    const path = { workspace, channel: slug };
    const done = await make(() =>
      change('patch', '/v1/workspaces/{workspace}/channels/{channel}', { path, body: { quiet: wanted } }),
    );
    if (done !== null) onDone(done.data.channel);
  };
  const submit = (event: SubmitEvent): void => {
    const days = dataOf(event).getAll('days') as Day[];
    const hours = { from: textOf(event, 'from'), to: textOf(event, 'to'), timezone: textOf(event, 'timezone') };
    void save(days.length === DAYS.length ? hours : { ...hours, days });
  };
  const fields = problem?.fields ?? {};
  return (
    <FormDialog
      title={texts.title(name)}
      about={texts.about}
      label={texts.save}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      <div class="field-pair">
        <Field label={texts.from} error={fields['quiet.from']}>
          <input type="time" name="from" required defaultValue={quiet?.from ?? '22:00'} />
        </Field>
        <Field label={texts.to} hint={texts.toHint} error={fields['quiet.to']}>
          <input type="time" name="to" required defaultValue={quiet?.to ?? '07:00'} />
        </Field>
      </div>
      <Days chosen={quiet?.days ?? DAYS} error={fields['quiet.days'] && texts.noDay} />
      <Field label={texts.timeZone} error={fields['quiet.timezone']}>
        <select name="timezone">
          <TimeZones chosen={quiet?.timezone} />
        </select>
      </Field>
      {quiet !== null && (
        <button type="button" class="quiet" aria-disabled={isWorking} onClick={() => void save(null)}>
          {texts.switchOff}
        </button>
      )}
    </FormDialog>
  );
}

interface DaysProps {
  readonly chosen: readonly Day[];
  readonly error: string | undefined;
}

function Days({ chosen, error }: DaysProps) {
  return (
    <fieldset class="checks quiet-days" aria-describedby={error && 'days-error'}>
      <legend>{texts.days}</legend>
      {DAYS.map((day) => (
        <label key={day}>
          <input type="checkbox" name="days" value={day} defaultChecked={chosen.includes(day)} />
          {shortDay(day)}
        </label>
      ))}
      {error && (
        <p class="field-error" id="days-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}
