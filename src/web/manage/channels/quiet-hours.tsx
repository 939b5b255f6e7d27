import { useContext } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Field, FieldErrors, TimeZoneField } from '../../components/forms/fields.tsx';
import { textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { locale } from '../../format/locale.ts';
import { Times } from '../../format/time.ts';
import { quietHours as texts } from '../../texts/channels.ts';

interface Props {
  readonly workspace: string;
  readonly channel: Schema<'Channel'>;
  readonly onDone: (channel: Schema<'Channel'>) => void;
  readonly onClose: () => void;
}

export function QuietForm({ workspace, channel: { slug, name, quiet }, onDone, onClose }: Props) {
  const save = (wanted: QuietHours | null) => {
    const path = { workspace, channel: slug };
    return change('patch', '/v1/workspaces/{workspace}/channels/{channel}', { path, body: { quiet: wanted } });
  };
  const send = (form: FormData) => {
    const days = form.getAll('days') as Day[];
    const hours = { from: textOf(form, 'from'), to: textOf(form, 'to'), timezone: textOf(form, 'timezone') };
    return save(days.length === DAYS.length ? hours : { ...hours, days });
  };
  return (
    <FormDialog
      title={texts.title(name)}
      about={texts.about}
      label={texts.save}
      onDone={({ channel }) => onDone(channel)}
      {...{ send, onClose }}
    >
      {({ isWorking, make }) => (
        <>
          <div class="field-pair">
            <Field label={texts.from} field="quiet.from">
              <input type="time" name="from" required defaultValue={quiet?.from ?? '22:00'} />
            </Field>
            <Field label={texts.to} hint={texts.toHint} field="quiet.to">
              <input type="time" name="to" required defaultValue={quiet?.to ?? '07:00'} />
            </Field>
          </div>
          <Days chosen={quiet?.days ?? DAYS} />
          <TimeZoneField label={texts.timeZone} field="quiet.timezone" chosen={quiet?.timezone} />
          {quiet !== null && (
            <Button text={texts.switchOff} class="quiet" isWorking={isWorking} onClick={() => make(() => save(null))} />
          )}
        </>
      )}
    </FormDialog>
  );
}

function Days({ chosen }: { readonly chosen: readonly Day[] }) {
  const hasError = useContext(FieldErrors)['quiet.days'] !== undefined;
  return (
    <fieldset class="checks quiet-days" aria-describedby={hasError ? 'days-error' : undefined}>
      <legend>{texts.days}</legend>
      {DAYS.map((day) => (
        <label key={day}>
          <input type="checkbox" name="days" value={day} defaultChecked={chosen.includes(day)} />
          {shortDay(day)}
        </label>
      ))}
      {hasError && (
        <p class="field-error" id="days-error">
          {texts.noDay}
        </p>
      )}
    </fieldset>
  );
}

type QuietHours = NonNullable<Schema<'Channel'>['quiet']>;
type Day = NonNullable<QuietHours['days']>[number];

export const DAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const DAY_MS = 86_400_000;
const A_MONDAY_MS = Date.UTC(2024, 0, 1);
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
const inUtc = new Times(locale, 'UTC');

/** `Mon`, in the page's language. */
export function shortDay(day: Day): string {
  return weekday.format(A_MONDAY_MS + DAYS.indexOf(day) * DAY_MS);
}

export function quietWords({ from, to, timezone, days }: QuietHours): string {
  const hours = from === to ? texts.allDay : texts.hours(clock(from), clock(to));
  const on = days === undefined || days.length === DAYS.length ? texts.everyDay : days.map(shortDay).join(', ');
  return `${hours}, ${on} (${timezone.replaceAll('_', ' ')})`;
}

/** Returns a wall-clock time in the usual format. */
function clock(time: string): string {
  return inUtc.clock(Date.parse(`2024-01-01T${time}Z`));
}
