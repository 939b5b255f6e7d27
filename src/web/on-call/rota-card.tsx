import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import { nowMs, serverNow } from '../clock.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { Field } from '../components/forms/fields.tsx';
import { textOf } from '../components/forms/form.ts';
import { FormDialog } from '../components/forms/form-dialog.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { msOf } from '../format/time.ts';
import { instantOf, wallTime, zoneHere } from '../format/wall-clock.ts';
import { emailHere, type Workspace } from '../session.ts';
import { useShared } from '../shared.ts';
import { rotas as texts } from '../texts/channels.ts';
import { RotaForm } from './rota-form.tsx';
import { spanWords } from './span.ts';
import { statusWords } from './status-words.ts';

type Rota = Schema<'Rota'>;
type Shift = Schema<'OnCallShift'>;

const SHOWN_SHIFTS = 6;

interface Props {
  readonly workspace: Workspace;
  readonly rota: Rota;
  /** From now on. */
  readonly shifts: readonly Shift[];
  /** Reports a finished act, and reloads the rotas. */
  readonly say: (text: string) => void;
}

type Open = { readonly kind: 'take' | 'hand-over'; readonly shift: Shift } | { readonly kind: 'form' | 'remove' };

/** Shows who is on call by a rota, and its next shifts, which people take and hand over. */
export function RotaCard({ workspace: { slug: workspace, role }, rota, shifts, say }: Props) {
  const { slug, name } = rota;
  const [open, setOpen] = useState<Open | null>(null);
  const undoing = useChange();
  const now = useShared(nowMs);
  const close = (): void => setOpen(null);
  const finish = (text: string): void => {
    close();
    say(text);
  };
  const undo = async ({ override }: Shift): Promise<void> => {
    if (override === null) return;
    const path = { workspace, rota: slug, override: override.id };
    const address = '/v1/workspaces/{workspace}/rotas/{rota}/overrides/{override}';
    if ((await undoing.make(() => change('delete', address, { path }))) !== null) finish(texts.wasUndone(name));
  };
  const act = (what: ShiftAction, shift: Shift): void => {
    if (what === 'undo') void undo(shift);
    else setOpen({ kind: what, shift });
  };
  const isManager = role !== 'member';
  return (
    <section class="rota" aria-label={name}>
      <h2 class="group" dir="auto">
        {name}
      </h2>
      <p>{statusWords(rota, now)}</p>
      <ProblemNote problem={undoing.problem} />
      <ul class="list lines" aria-label={texts.shifts(name)}>
        {shifts.slice(0, SHOWN_SHIFTS).map((shift) => (
          <ShiftRow
            key={shift.from}
            onAct={(what) => act(what, shift)}
            {...{ shift, zone: rota.timezone, isManager, isWorking: undoing.isWorking }}
          />
        ))}
      </ul>
      {isManager && (
        <div class="actions">
          <Button
            text={texts.change}
            named={texts.named(texts.change, name)}
            onClick={() => setOpen({ kind: 'form' })}
          />
          <Button
            text={texts.remove}
            named={texts.named(texts.remove, name)}
            onClick={() => setOpen({ kind: 'remove' })}
          />
        </div>
      )}
      {open?.kind === 'form' && (
        <RotaForm
          onDone={(changed) => finish(texts.wasChanged(changed.name))}
          onClose={close}
          {...{ workspace, rota }}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removeTitle(name)}
          action={texts.remove}
          call={() =>
            change('delete', '/v1/workspaces/{workspace}/rotas/{rota}', { path: { workspace, rota: slug }, query: {} })
          }
          onDone={() => say(texts.wasRemoved(name))}
          onClose={close}
        >
          <p>{texts.removeText}</p>
        </ConfirmDialog>
      )}
      {(open?.kind === 'take' || open?.kind === 'hand-over') && (
        <OverrideForm
          rota={slug}
          shift={open.shift}
          taker={open.kind === 'take' ? emailHere() : null}
          known={rota.members.filter((email) => email !== open.shift.person.email)}
          onDone={({ person }) =>
            finish(open.kind === 'take' ? texts.wasTaken(name) : texts.wasHandedOver(name, person.name))
          }
          onClose={close}
          {...{ workspace }}
        />
      )}
    </section>
  );
}

type ShiftAction = 'take' | 'hand-over' | 'undo';

interface ShiftRowProps {
  readonly shift: Schema<'OnCallShift'>;
  /** The rota's time zone. */
  readonly zone: string;
  readonly isManager: boolean;
  readonly isWorking: boolean;
  readonly onAct: (action: ShiftAction) => void;
}

/** Shows a shift with what this person may do about it. */
function ShiftRow({ shift: { from, until, person, override }, zone, isManager, isWorking, onAct }: ShiftRowProps) {
  const now = useShared(nowMs);
  const isOwn = person.email === emailHere();
  const span = spanWords(msOf(from), msOf(until), zone, now);
  const button = (action: ShiftAction, text: string) => (
    <Button
      text={text}
      named={texts.named(text, `${person.name}, ${span}`)}
      isWorking={isWorking}
      onClick={() => onAct(action)}
    />
  );
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="entry-name" dir="auto">
          {isOwn ? texts.you(person.name) : person.name}
        </p>
        <p class="entry-meta">
          <span>{span}</span>
          {override !== null && <span>{texts.overridden(override.by)}</span>}
        </p>
      </div>
      <div class="actions">
        {!isOwn && button('take', texts.take)}
        {(isOwn || isManager) && button('hand-over', texts.handOver)}
        {override !== null && (isOwn || isManager) && button('undo', texts.undo)}
      </div>
    </li>
  );
}

const WEEK_MS = 7 * 86_400_000;
/** The longest override. */
const MOST_MS = 31 * 86_400_000;

interface FormProps {
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
function OverrideForm({ workspace, rota, shift, taker, known, onDone, onClose }: FormProps) {
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
