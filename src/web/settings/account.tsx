import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import { useChange } from '../api/use-change.ts';
import { RenameDialog } from '../components/forms/form-dialog.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { signOut } from '../push/this-device.ts';
import { session, usePerson } from '../session.ts';
import { settings as texts } from '../texts/account.ts';
import { common } from '../texts/common.ts';

export function Account() {
  const { isWorking, problem, make } = useChange();
  const [isRenaming, setRenaming] = useState(false);
  const user = usePerson()?.user;
  return (
    <Section title={texts.account}>
      <ProblemNote problem={problem} />
      <div class="paper paper-row">
        <p>{user && texts.signedInAs(user.name, user.email)}</p>
        <div class="actions">
          {user && (
            <button type="button" onClick={() => setRenaming(true)}>
              {texts.rename.open}
            </button>
          )}
          <button type="button" aria-disabled={isWorking} onClick={() => void make(signOut)}>
            {common.actions.signOut}
          </button>
        </div>
      </div>
      {isRenaming && user && (
        <RenameDialog
          title={texts.rename.open}
          label={texts.rename.name}
          hint={texts.rename.hint}
          action={texts.rename.save}
          name={user.name}
          call={(name) => change('patch', '/v1/session', { body: { name } })}
          onDone={() => {
            setRenaming(false);
            void session.check();
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </Section>
  );
}
