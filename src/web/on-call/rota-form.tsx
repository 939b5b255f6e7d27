import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import { nowMs } from '../clock.ts';
import { Field, NameFields, Options, TimeZones } from '../components/forms/fields.tsx';
import { dataOf } from '../components/forms/form.ts';
import { FormDialog } from '../components/forms/form-dialog.tsx';
import { msOf } from '../format/time.ts';
import { zoneHere } from '../format/wall-clock.ts';
import { DAYS, shortDay } from '../manage/channels/quiet-words.ts';
import { addressesIn } from '../manage/members/addresses.ts';
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
  const { problem, isWorking, make } = useChange();
  const [moved, setMoved] = useState<readonly Moved[] | null>(null);
  const submit = async (event: SubmitEvent): Promise<void> => {
    const data = dataOf(event);
    const isPreview = moved === null;
    const made = await make(() => send(workspace, rota, data, isPreview));
    if (made === null) return;
    if (isPreview) setMoved(made.data.moved ?? []);
    else onDone(made.data.rota);
  };
  const errors = problem?.fields ?? {};
  return (
    <FormDialog
      title={rota === null ? texts.addTitle : texts.changeTitle(rota.name)}
      label={moved !== null ? texts.save : rota === null ? texts.previewNew : texts.preview}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      {/* A changed field makes the preview untrue. */}
      <div class="form" onInput={() => setMoved(null)}>
        <NameFields edited={rota} slugHint={texts.slugHint} errors={errors} />
        <Field label={texts.members} hint={texts.membersHint} error={errors.members}>
          <textarea
            name="members"
            rows={4}
            required
            spellcheck={false}
            autocapitalize="none"
            defaultValue={rota?.members.join('\n')}
          />
        </Field>
        <TimeFields rota={rota} errors={errors} />
        <label class="check">
          <input type="checkbox" name="announce" defaultChecked={rota?.announce ?? true} />
          {texts.announce}
        </label>
      </div>
      {moved !== null && <Preview moved={moved} rota={rota} />}
    </FormDialog>
  );
}

function TimeFields({ rota, errors }: Pick<Props, 'rota'> & { readonly errors: Readonly<Record<string, string>> }) {
  const { every = 'week', count = 1, weekday = 'mon', at = '09:00' } = rota?.handover ?? {};
  const [rhythm, setRhythm] = useState<string>(every);
  return (
    <>
      <Field label={texts.every} error={errors['handover.every']}>
        <select name="every" onChange={({ currentTarget }) => setRhythm(currentTarget.value)}>
          <Options of={texts.rhythms} chosen={rhythm} />
        </select>
      </Field>
      <Field label={texts.count} error={errors['handover.count']}>
        <input name="count" type="number" min={1} max={14} required defaultValue={String(count)} />
      </Field>
      {rhythm === 'week' && (
        <Field label={texts.weekday} error={errors['handover.weekday']}>
          <select name="weekday">
            <Options of={DAYS.map((day) => [day, shortDay(day)])} chosen={weekday} />
          </select>
        </Field>
      )}
      <Field label={texts.at} error={errors['handover.at']}>
        <input name="at" type="time" required defaultValue={at} />
      </Field>
      <Field label={texts.timeZone} error={errors.timezone}>
        <select name="timezone">
          <TimeZones chosen={rota?.timezone} />
        </select>
      </Field>
      <Field label={texts.startsOn} error={errors.starts_on}>
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
    const slug = String(data.get('slug')).trim();
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
  const text = (name: string) => String(data.get(name) ?? '').trim();
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
