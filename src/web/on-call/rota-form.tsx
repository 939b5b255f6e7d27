import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { nowMs } from '../clock.ts';
import { Field, NameFields, SelectField, TimeZoneField } from '../components/forms/fields.tsx';
import { textOf } from '../components/forms/form.ts';
import { FormDialog } from '../components/forms/form-dialog.tsx';
import { msOf } from '../format/time.ts';
import { zoneHere } from '../format/wall-clock.ts';
import { DAYS, shortDay } from '../manage/channels/quiet-hours.tsx';
import { addressesIn } from '../manage/members/inviting.ts';
import { useShared } from '../shared.ts';
import { rotas as texts } from '../texts/channels.ts';
import { spanWords } from './span.ts';

type Rota = Schema<'Rota'>;
type Moved = Schema<'MovedShift'>;

interface Props {
  readonly workspace: string;
  /** The rota to change; null: a new one. */
  readonly rota: Rota | null;
  readonly onDone: (rota: Rota) => void;
  readonly onClose: () => void;
}

/** Adds or changes a rota. The first press shows what would move, the second saves. */
export function RotaForm({ workspace, rota, onDone, onClose }: Props) {
  const [moved, setMoved] = useState<readonly Moved[] | null>(null);
  const isPreview = moved === null;
  return (
    <FormDialog
      title={rota === null ? texts.addTitle : texts.changeTitle(rota.name)}
      label={!isPreview ? texts.save : rota === null ? texts.previewNew : texts.preview}
      send={(form) => send(workspace, rota, form, isPreview)}
      onDone={(answer) => (isPreview ? setMoved(answer.moved ?? []) : onDone(answer.rota))}
      onClose={onClose}
    >
      {/* A changed field makes the preview untrue. */}
      <div class="form" onInput={() => setMoved(null)}>
        <NameFields edited={rota} slugHint={texts.slugHint} />
        <Field label={texts.members} hint={texts.membersHint} field="members">
          <textarea
            name="members"
            rows={4}
            required
            spellcheck={false}
            autocapitalize="none"
            defaultValue={rota?.members.join('\n')}
          />
        </Field>
        <TimeFields rota={rota} />
        <label class="check">
          <input type="checkbox" name="announce" defaultChecked={rota?.announce ?? true} />
          {texts.announce}
        </label>
      </div>
      {moved !== null && <Preview moved={moved} rota={rota} />}
    </FormDialog>
  );
}

function TimeFields({ rota }: Pick<Props, 'rota'>) {
  const { every = 'week', count = 1, weekday = 'mon', at = '09:00' } = rota?.handover ?? {};
  const [rhythm, setRhythm] = useState<string>(every);
  return (
    <>
      <SelectField
        name="every"
        label={texts.every}
        field="handover.every"
        of={texts.rhythms}
        chosen={rhythm}
        onChoose={setRhythm}
      />
      <Field label={texts.count} field="handover.count">
        <input name="count" type="number" min={1} max={14} required defaultValue={String(count)} />
      </Field>
      {rhythm === 'week' && (
        <SelectField
          name="weekday"
          label={texts.weekday}
          field="handover.weekday"
          of={DAYS.map((day) => [day, shortDay(day)])}
          chosen={weekday}
        />
      )}
      <Field label={texts.at} field="handover.at">
        <input name="at" type="time" required defaultValue={at} />
      </Field>
      <TimeZoneField label={texts.timeZone} chosen={rota?.timezone} />
      <Field label={texts.startsOn} field="starts_on">
        <input name="starts_on" type="date" defaultValue={rota?.starts_on} />
      </Field>
    </>
  );
}

/** Shows which shifts move, or the first shifts of a new rota. */
function Preview({ moved, rota }: Pick<Props, 'rota'> & { readonly moved: readonly Moved[] }) {
  const now = useShared(nowMs);
  const isNew = rota === null;
  if (moved.length === 0) return <p role="status">{isNew ? texts.beginsLater : texts.movesNothing}</p>;
  const nameOf = (person: Moved['before']) => person?.name ?? texts.movedNobody;
  const zone = rota?.timezone ?? zoneHere;
  return (
    <div role="status">
      <p>{isNew ? texts.firstShifts : texts.moves(moved.length)}</p>
      <ul>
        {moved.map(({ from, until, before, after }) => {
          const span = spanWords(msOf(from), msOf(until), zone, now);
          return (
            <li key={from} dir="auto">
              {isNew ? texts.firstShift(span, nameOf(after)) : texts.moved(span, nameOf(before), nameOf(after))}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function send(workspace: string, rota: Rota | null, data: FormData, isPreview: boolean) {
  const body = termsOf(data);
  const query = isPreview ? { preview: true } : {};
  if (rota === null) {
    const slug = textOf(data, 'slug');
    return change('post', '/v1/workspaces/{workspace}/rotas', { path: { workspace }, query, body: { ...body, slug } });
  }
  return change('patch', '/v1/workspaces/{workspace}/rotas/{rota}', {
    path: { workspace, rota: rota.slug },
    query,
    body,
  });
}

type Weekday = NonNullable<Schema<'HandoverRule'>['weekday']>;
type RotaTerms = Omit<Schema<'RotaRequest'>, 'slug'>;

/** Returns a rota's filled-in fields. Words that are no address stay, so that the server names them. */
function termsOf(data: FormData): RotaTerms {
  const text = (name: string) => textOf(data, name);
  const every = text('every') === 'day' ? 'day' : 'week';
  const { emails, others } = addressesIn(text('members'));
  const startsOn = text('starts_on');
  return {
    ...(text('name') !== '' && { name: text('name') }),
    members: [...emails, ...others],
    timezone: text('timezone'),
    handover: {
      every,
      count: Number(text('count')),
      at: text('at'),
      ...(every === 'week' && { weekday: text('weekday') as Weekday }),
    },
    ...(startsOn !== '' && { starts_on: startsOn }),
    announce: data.has('announce'),
  };
}
