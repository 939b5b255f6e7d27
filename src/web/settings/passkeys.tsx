import { useState } from 'preact/hooks';
import { ask, change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { hasPasskeys, makePasskey } from '../api/passkeys.ts';
import { useChange } from '../api/use-change.ts';
import { useLoad } from '../api/use-load.ts';
import { ConfirmButton } from '../components/dialogs/dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { browserName } from '../format/browser-name.ts';
import { usePerson } from '../session.ts';
import { passkeys as texts } from '../texts/account.ts';

type Listed = Schema<'PasskeyList'>;

/** Lists passkeys: the device asks for finger, face or PIN. */
export function Passkeys() {
  const { data, problem, reload } = useLoad('passkeys', () => ask('get', '/v1/passkeys', {}), ['sessions']);
  return (
    <Section title={texts.title}>
      <ProblemNote problem={problem} retry={reload} />
      {data === null && problem === null && <Skeleton label={texts.title} rows={2} />}
      {data !== null && data.passkeys.length > 0 && (
        <ul class="list">
          {data.passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} reload={reload} />
          ))}
        </ul>
      )}
      {data !== null && <Add listed={data} reload={reload} />}
    </Section>
  );
}

function Add({ listed, reload }: { readonly listed: Listed; readonly reload: () => Promise<void> }) {
  const user = usePerson()?.user;
  const { isWorking, problem, make } = useChange();
  const [isGivenUp, setGivenUp] = useState(false);
  const add = async (): Promise<void> => {
    if (user === undefined) return;
    const made = await make(() => makePasskey(listed, user));
    setGivenUp(made !== null && made.data === null);
    const passkey = made?.data ?? null;
    if (passkey === null) return;
    const body = { name: browserName(navigator.userAgent) || texts.unnamed, passkey };
    if ((await make(() => change('post', '/v1/passkeys', { body }))) !== null) await reload();
  };
  return (
    <div class="paper stack">
      <p>{hasPasskeys ? texts.text : texts.none}</p>
      <ProblemNote problem={problem} />
      {isGivenUp && <p class="hint">{texts.givenUp}</p>}
      {hasPasskeys && (
        <button type="button" aria-disabled={isWorking} onClick={() => void add()}>
          {texts.add}
        </button>
      )}
    </div>
  );
}

interface RowProps {
  readonly passkey: Listed['passkeys'][number];
  readonly reload: () => Promise<void>;
}

function Row({ passkey: { id, name, created_at, last_used_at }, reload }: RowProps) {
  const remove = () => change('delete', '/v1/passkeys/{passkey}', { path: { passkey: id } });
  return (
    <li class="row">
      <div>
        <p dir="auto">{name}</p>
        <p class="hint">
          {last_used_at === null ? texts.added : texts.used} <Moment at={last_used_at ?? created_at} />
        </p>
      </div>
      <ConfirmButton label={texts.remove} question={texts.question(name)} act={remove} reload={reload}>
        {texts.removed}
      </ConfirmButton>
    </li>
  );
}
