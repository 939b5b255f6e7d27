import { change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { serverNow } from '../clock.ts';
import { Field } from '../components/forms/fields.tsx';
import { textOf } from '../components/forms/form.ts';
import { FormDialog } from '../components/forms/form-dialog.tsx';
import { msOf } from '../format/time.ts';
import { instantOf, wallTime, zoneHere } from '../format/wall-clock.ts';
import { rotas as texts } from '../texts/channels.ts';

const WEEK_MS = 7 * 86_400_000;
/** The longest override. */
const MOST_MS = 31 * 86_400_000;

interface Props {
  readonly workspace: string;
  readonly rota: string;
  readonly shift: Schema<'OnCallShift'>;
  /** The email address of the taker; null: the form asks for it. */
  readonly taker: string | null;
  /** Email addresses to choose from. */
  readonly known: readonly string[];
  readonly onDone: (override: Schema<'RotaOverride'>) => void;
  readonly onClose: () => void;
}

/** Takes a shift or hands it over, as a whole or in part. */
export function OverrideForm({ workspace, rota, shift, taker, known, onDone, onClose }: Props) {
  const fromMs = Math.max(msOf(shift.from), serverNow());
  const untilMs = msOf(shift.until) - fromMs > MOST_MS ? fromMs + WEEK_MS : msOf(shift.until);
  const [first, last] = [fromMs, untilMs].map((ms) => wallTime(new Date(ms), zoneHere));
  const send = (form: FormData) => {
    const [from, until] = ['from', 'until'].map((name) => {
      const local = textOf(form, name);
      // A field counts minutes: what was left as it is keeps its seconds.
      const given = name === 'from' ? (local === first ? fromMs : null) : local === last ? untilMs : null;
      return new Date(given ?? instantOf(local, zoneHere)).toISOString();
    }) as [string, string];
    const body = { member: taker ?? textOf(form, 'member'), from, until };
    const address = '/v1/workspaces/{workspace}/rotas/{rota}/overrides';
    return change('post', address, { path: { workspace, rota }, body });
  };
  return (
    <FormDialog
      title={taker === null ? texts.handOverTitle(shift.person.name) : texts.takeTitle}
      about={texts.overrideAbout}
      label={taker === null ? texts.handOver : texts.take}
      onDone={({ override }) => onDone(override)}
      {...{ send, onClose }}
    >
      {taker === null && (
        <Field label={texts.person} hint={texts.personHint} field="member">
          <input name="member" type="email" required maxLength={254} list="on-call-people" autocomplete="off" />
        </Field>
      )}
      <datalist id="on-call-people">
        {known.map((email) => (
          <option key={email} value={email} />
        ))}
      </datalist>
      <Field label={texts.from} field="from">
        <input name="from" type="datetime-local" required defaultValue={first} />
      </Field>
      <Field label={texts.until} field="until">
        <input name="until" type="datetime-local" required defaultValue={last} />
      </Field>
    </FormDialog>
  );
}
