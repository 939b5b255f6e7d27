import { useRef, useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import { useWays } from '../api/provider.ts';
import { useChange } from '../api/use-change.ts';
import { Field } from '../components/forms/fields.tsx';
import { fieldOf } from '../components/forms/form.ts';
import { FormProblem } from '../components/forms/form-dialog.tsx';
import { Section } from '../components/page.tsx';
import { usePerson } from '../session.ts';
import { settings as texts } from '../texts/account.ts';

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
