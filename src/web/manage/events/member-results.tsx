import { useId, useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { usePause } from '../../components/filters.tsx';
import { Field } from '../../components/forms/fields.tsx';
import { Loading } from '../../components/loading.tsx';
import { Time } from '../../components/moment.tsx';
import { msOf, times } from '../../format/time.ts';
import { common, lists as shared } from '../../texts/common.ts';
import { platforms } from '../../texts/inbox.ts';
import { results, pushResults as texts } from '../../texts/members.ts';

interface Props {
  readonly workspace: string;
  readonly publicId: string;
}

/** Asks for a member, and explains the result of each device. */
export function MemberResults({ workspace, publicId }: Props) {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState('');
  const pause = usePause();
  const listId = useId();
  const { data } = useLoad(
    `${workspace} ${query}`,
    () =>
      ask('get', '/v1/workspaces/{workspace}/members', {
        path: { workspace },
        query: query === '' ? {} : { q: query },
      }),
    ['members'],
  );
  const members = data?.members ?? [];
  return (
    <section aria-label={texts.title}>
      <h2 class="group">{texts.title}</h2>
      <form
        class="paper form"
        onSubmit={(event) => {
          event.preventDefault();
          setChosen(typed.trim());
        }}
      >
        <Field label={texts.member} hint={texts.hint}>
          <input
            name="member"
            list={listId}
            autocomplete="off"
            maxLength={320}
            value={typed}
            onInput={({ currentTarget: { value } }) => {
              setTyped(value);
              if (members.some(({ email }) => email === value)) setChosen(value);
              else pause(() => setQuery(value.trim()));
            }}
          />
        </Field>
        <datalist id={listId}>
          {members.map(({ email, name }) => (
            <option key={email} value={email}>
              {name}
            </option>
          ))}
        </datalist>
        <div class="actions">
          <button type="submit">{texts.show}</button>
        </div>
      </form>
      {chosen !== '' && <Results key={chosen} workspace={workspace} publicId={publicId} email={chosen} />}
    </section>
  );
}

function Results({ workspace, publicId, email }: Props & { readonly email: string }) {
  const loaded = useLoad(
    `${publicId} ${email}`,
    () =>
      ask('get', '/v1/workspaces/{workspace}/events/{public_id}', {
        path: { workspace, public_id: publicId },
        query: { member: email, limit: 1 },
      }),
    ['events', 'members'],
  );
  const member = loaded.data?.member ?? null;
  return (
    <div aria-live="polite">
      <Loading of={loaded} label={shared.loading} rows={1} />
      {member?.devices.length === 0 && <p class="about">{texts.noDevice(member.name)}</p>}
      {member !== null && member.devices.length > 0 && (
        <ul class="list" aria-label={texts.label(member.name)}>
          {member.devices.map((device) => (
            <DeviceLine key={device.device_id} workspace={workspace} device={device} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface LineProps {
  readonly workspace: string;
  readonly device: Schema<'DeviceResult'>;
}

function DeviceLine({ workspace, device }: LineProps) {
  const { device_id, device: name, platform, result, reason, at } = device;
  return (
    <li class="entry">
      <div class="entry-text">
        <a class="entry-name" dir="auto" href={`/w/${workspace}/devices/${device_id}`}>
          {name}
        </a>
        <p class="entry-meta">
          <span>{platforms[platform] ?? platform}</span>
          {at !== null && <Time at={at} text={times.second(msOf(at))} />}
          {reason !== null && <span class="mono">{reason}</span>}
        </p>
      </div>
      <p class={result === 'refused' ? 'entry-state urgent' : 'entry-state'}>{wordsOf(device)}</p>
    </li>
  );
}

function wordsOf({ result, until, min_level }: Schema<'DeviceResult'>): string {
  const words = results[result] ?? result;
  if (until !== null) return texts.until(words, times.exact(msOf(until)));
  return min_level === null ? words : texts.below(words, common.levels[min_level]);
}
