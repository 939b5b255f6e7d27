import { useRef, useState } from 'preact/hooks';
import { ask, change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { hasPasskeys, makePasskey } from '../api/passkeys.ts';
import { useWays } from '../api/provider.ts';
import { useChange } from '../api/use-change.ts';
import { useLoad } from '../api/use-load.ts';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/dialogs/dialog.tsx';
import { Field } from '../components/forms/fields.tsx';
import { fieldOf } from '../components/forms/form.ts';
import { FormProblem } from '../components/forms/form-dialog.tsx';
import { Loading, Skeleton } from '../components/loading.tsx';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { browserName } from '../format/browser-name.ts';
import { usePerson } from '../session.ts';
import { passkeys as passkeysTexts, settings as texts } from '../texts/account.ts';

type OwnSession = Schema<'SessionList'>['sessions'][number];

/** Lists the person's sessions and ends others; signing out ends the current. */
export function Sessions() {
  const { data, problem, reload } = useLoad('sessions', () => ask('get', '/v1/sessions', {}), ['sessions']);
  return (
    <Section title={texts.sessions.title}>
      {problem !== null && (data === null || problem.kind === 'refused') && (
        <ProblemNote problem={problem} retry={reload} />
      )}
      {data === null && problem === null && <Skeleton label={texts.sessions.loading} rows={2} />}
      {data !== null && (
        <ul class="list">
          {data.sessions.map((session) => (
            <SessionRow key={session.id} session={session} reload={reload} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface SessionRowProps {
  readonly session: OwnSession;
  readonly reload: () => Promise<void>;
}

function SessionRow({ session: { id, user_agent, last_seen_at, vouched_for, current }, reload }: SessionRowProps) {
  const places = vouched_for.flatMap(({ workspace }) => workspace ?? []);
  const where = browserName(user_agent ?? '') || texts.sessions.unknown;
  const end = () => change('delete', '/v1/sessions/{session}', { path: { session: id } });
  return (
    <li class="row">
      <div>
        <p>
          {where} {current && <span class="hint">({texts.sessions.current})</span>}
        </p>
        <p class="hint">
          {texts.sessions.used} <Moment at={last_seen_at} />
          {places.length > 0 && ` · ${texts.sessions.vouchedFor(places)}`}
        </p>
      </div>
      {!current && (
        <ConfirmButton label={texts.sessions.end} question={texts.sessions.question(where)} act={end} reload={reload}>
          {texts.sessions.text}
        </ConfirmButton>
      )}
    </li>
  );
}

type Listed = Schema<'PasskeyList'>;

/** Lists passkeys: the device asks for finger, face or PIN. */
export function Passkeys() {
  const loaded = useLoad('passkeys', () => ask('get', '/v1/passkeys', {}), ['sessions']);
  const { data, reload } = loaded;
  return (
    <Section title={passkeysTexts.title}>
      <Loading of={loaded} label={passkeysTexts.title} rows={2} />
      {data !== null && data.passkeys.length > 0 && (
        <ul class="list">
          {data.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} reload={reload} />
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
    const body = { name: browserName(navigator.userAgent) || passkeysTexts.unnamed, passkey };
    if ((await make(() => change('post', '/v1/passkeys', { body }))) !== null) await reload();
  };
  return (
    <div class="paper stack">
      <p>{hasPasskeys ? passkeysTexts.text : passkeysTexts.none}</p>
      <ProblemNote problem={problem} />
      {isGivenUp && <p class="hint">{passkeysTexts.givenUp}</p>}
      {hasPasskeys && <Button text={passkeysTexts.add} isWorking={isWorking} onClick={add} />}
    </div>
  );
}

interface PasskeyRowProps {
  readonly passkey: Listed['passkeys'][number];
  readonly reload: () => Promise<void>;
}

function PasskeyRow({ passkey: { id, name, created_at, last_used_at }, reload }: PasskeyRowProps) {
  const remove = () => change('delete', '/v1/passkeys/{passkey}', { path: { passkey: id } });
  return (
    <li class="row">
      <div>
        <p dir="auto">{name}</p>
        <p class="hint">
          {last_used_at === null ? passkeysTexts.added : passkeysTexts.used} <Moment at={last_used_at ?? created_at} />
        </p>
      </div>
      <ConfirmButton label={passkeysTexts.remove} question={passkeysTexts.question(name)} act={remove} reload={reload}>
        {passkeysTexts.removed}
      </ConfirmButton>
    </li>
  );
}

/** Changes the password, if the server accepts passwords. */
export function Password() {
  const { data: ways } = useWays();
  return ways?.password === false ? null : <Change />;
}

function Change() {
  const form = useRef<HTMLFormElement>(null);
  const [isDone, setDone] = useState(false);
  const { isWorking, problem, make } = useChange();
  const email = usePerson()?.user.email ?? '';
  const words = texts.password;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const current = fieldOf(event, 'current');
    const body = { new: fieldOf(event, 'new'), ...(current !== '' && { current }) };
    setDone(false);
    if ((await make(() => change('put', '/v1/session/password', { body }))) === null) return;
    setDone(true);
    form.current?.reset();
  };
  return (
    <Section title={words.title}>
      <details class="paper">
        <summary>{words.change}</summary>
        <form ref={form} class="form" onSubmit={(event) => void submit(event)}>
          <p class="hint">{words.text}</p>
          {/* Tells password managers the user. */}
          <input type="text" name="username" autocomplete="username" value={email} readOnly hidden />
          <Field label={words.current} hint={words.currentHint} error={problem?.fields.current}>
            <input name="current" type="password" autocomplete="current-password" />
          </Field>
          <Field label={words.new} hint={words.newHint} error={problem?.fields.new}>
            <input name="new" type="password" required minLength={8} autocomplete="new-password" />
          </Field>
          <FormProblem problem={problem} />
          <p class="hint" role="status">
            {isDone && words.done}
          </p>
          <button class="primary" type="submit" aria-disabled={isWorking}>
            {words.change}
          </button>
        </form>
      </details>
    </Section>
  );
}
