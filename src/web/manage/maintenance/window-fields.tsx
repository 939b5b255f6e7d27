import { useState } from 'preact/hooks';
import type { Schema } from '../../api/client.ts';
import { serverNow } from '../../clock.ts';
import { Field, SelectField, TimeZoneField } from '../../components/forms/fields.tsx';
import { duration, durationChoice } from '../../format/durations.ts';
import { wallTime, zoneHere } from '../../format/wall-clock.ts';
import { maintenance as texts } from '../../texts/channels.ts';

const HOUR_S = 3_600;
const LENGTHS = [1, 2, 4, 8].map((hours) => hours * HOUR_S);
const RECURRING_LENGTHS = [HOUR_S / 4, HOUR_S / 2, ...LENGTHS, 12 * HOUR_S, 24 * HOUR_S];

interface Props {
  /** The window to change; absent: a new one. */
  readonly window?: Schema<'Maintenance'>;
}

/** Asks when and for how long a new window is on, once. `isPlanned`: it starts later. */
export function OnceFields({ isPlanned }: { readonly isPlanned: boolean }) {
  const [length, setLength] = useState(String(2 * HOUR_S));
  return (
    <>
      {isPlanned && <TimeField name="from" label={texts.starts} hint={texts.startsHint} />}
      <SelectField
        name="for"
        label={texts.lasts}
        of={[...LENGTHS.map((seconds) => [String(seconds), duration(seconds)] as const), ['', texts.untilTime]]}
        chosen={length}
        onChoose={setLength}
      />
      {length === '' && <TimeField name="until" label={texts.until} hint={texts.untilHint} />}
    </>
  );
}

/** Asks for the times of a window that is once, or of the occurrence that is on. */
export function TimesFields({ window }: Required<Props>) {
  const isPlanned = window.state === 'planned';
  return (
    <>
      {isPlanned && <TimeField name="from" label={texts.starts} hint={texts.startsHint} at={window.from} />}
      <TimeField
        name="until"
        label={window.cron === null ? texts.until : texts.occurrenceUntil}
        hint={window.cron === null ? texts.untilHint : undefined}
        at={window.until}
      />
    </>
  );
}

/** Asks for the schedule and length of a window that recurs. */
export function RecurrenceFields({ window }: Props) {
  const length = window?.for ?? HOUR_S;
  return (
    <>
      <Field label={texts.cron} hint={texts.cronHint} field="cron">
        <input
          name="cron"
          class="mono"
          required
          maxLength={100}
          placeholder="0 3 * * 0"
          autocomplete="off"
          defaultValue={window?.cron ?? ''}
        />
      </Field>
      <TimeZoneField label={texts.timeZone} chosen={window?.timezone ?? undefined} />
      <SelectField name="for" label={texts.lasts} {...durationChoice(RECURRING_LENGTHS, length)} />
    </>
  );
}

/** Asks for the note, and for the collapse keys of a window that is not on. */
export function TextFields({ window }: Props) {
  return (
    <>
      <Field label={texts.note} hint={texts.noteHint} field="note">
        <textarea name="note" dir="auto" rows={3} maxLength={500} defaultValue={window?.note ?? ''} />
      </Field>
      {window?.state !== 'on' && (
        <Field label={texts.only} hint={texts.onlyHint} field="only">
          <input name="only" class="mono" maxLength={255} autocomplete="off" defaultValue={window?.only ?? ''} />
        </Field>
      )}
    </>
  );
}

interface TimeProps {
  readonly name: 'from' | 'until';
  readonly label: string;
  readonly hint?: string | undefined;
  /** The current time, which may be over; absent: none. */
  readonly at?: string;
}

function TimeField({ name, at, ...field }: TimeProps) {
  const now = wallTime(new Date(serverNow()), zoneHere);
  const current = at === undefined ? '' : wallTime(new Date(at), zoneHere);
  return (
    <Field {...field} field={name}>
      <input
        name={name}
        type="datetime-local"
        required
        min={current !== '' && current < now ? current : now}
        defaultValue={current}
      />
    </Field>
  );
}
