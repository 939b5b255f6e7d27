import { useChange } from '../api/use-change.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { usePerson } from '../session.ts';
import { signOut } from '../sign-out.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/settings.ts';
import { Section } from './section.tsx';

/** Who is signed in, and out again. */
export function Account() {
  const { isWorking, problem, make } = useChange();
  const user = usePerson()?.user;
  return (
    <Section title={texts.account}>
      <ProblemNote problem={problem} />
      <div class="paper paper-row">
        <p>{user && texts.signedInAs(user.name, user.email)}</p>
        <button type="button" aria-disabled={isWorking} onClick={() => void make(signOut)}>
          {common.actions.signOut}
        </button>
      </div>
    </Section>
  );
}
