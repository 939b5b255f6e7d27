import { useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { SCHEMES, scheme } from '../appearance.ts';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { usePerson } from '../session.ts';
import { useShared } from '../shared.ts';
import { signOut } from '../sign-out.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/settings.ts';

export default function Settings() {
  return (
    <Page title={texts.title}>
      <Account />
      <Appearance />
    </Page>
  );
}

function Account() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const user = usePerson()?.user;
  const leave = async (): Promise<void> => {
    const answer = await signOut();
    setProblem(answer.ok ? null : answer.problem);
  };
  return (
    <section aria-labelledby="account">
      <h2 class="group" id="account">
        {texts.account}
      </h2>
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="paper paper-row">
        <p>{user && texts.signedInAs(user.name, user.email)}</p>
        <button type="button" onClick={() => void leave()}>
          {common.actions.signOut}
        </button>
      </div>
    </section>
  );
}

function Appearance() {
  const current = useShared(scheme);
  return (
    <fieldset class="choices">
      <legend class="group">{texts.appearance}</legend>
      {SCHEMES.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="scheme"
            checked={current === name}
            onChange={() => {
              scheme.value = name;
            }}
          />
          {texts.schemes[name]}
        </label>
      ))}
    </fieldset>
  );
}
