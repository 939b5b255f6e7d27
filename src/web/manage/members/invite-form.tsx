import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import type { Answer } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { Command } from '../../components/command.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Field } from '../../components/forms/fields.tsx';
import { dataOf, given, textOf } from '../../components/forms/form.ts';
import { FormEnd } from '../../components/forms/form-dialog.tsx';
import { usePerson } from '../../session.ts';
import { members as texts } from '../../texts/members.ts';
import { draftOf } from '../events/draft.ts';
import { addressesIn, inviteAll, type Outcome } from './inviting.ts';
import { RoleChoice } from './member-actions.tsx';

type Role = Schema<'Member'>['role'];

interface Props {
  readonly workspace: string;
  readonly isOwner: boolean;
  readonly onAdded: () => void;
  /** Called after adding a single person, whose link is shown. */
  readonly onSingle: (added: Schema<'MemberAnswer'>) => void;
  readonly onClose: () => void;
}

/** `name`: only for a single person. */
type Terms = Pick<Schema<'MemberRequest'>, 'role' | 'name'>;

/** Adds one or several people; nobody if a part is no address. */
export function InviteForm({ workspace, isOwner, onAdded, onSingle, onClose }: Props) {
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const [progress, setProgress] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const draft = draftOf(usePerson()?.user.email ?? '', `${workspace} invitations`);
  const [isSeveral, setSeveral] = useState(() => addressesIn(draft.field('email')).emails.length > 1);
  const close = (): void => {
    draft.discard();
    onClose();
  };
  const { isWorking, make } = useChange();

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = dataOf(event);
    const { emails, others } = addressesIn(textOf(form, 'email'));
    setWrong(others.length > 0 ? texts.notAddresses(others.join(', ')) : undefined);
    if (others.length > 0) return;
    const terms: Terms = {
      role: textOf(form, 'role') as Role,
      ...(emails.length === 1 && given('name', textOf(form, 'name'))),
    };
    const made = await make(() => invite(emails, terms));
    if (made === null) return;
    if (made.data.added.length > 0) draft.discard();
    const { added, refused } = made.data;
    if (added.length > 0) onAdded();
    const [first] = added;
    if (emails.length === 1 && first !== undefined) onSingle(first);
    else if (emails.length === 1) setWrong(refused[0]?.why);
    else setOutcome(made.data);
  };

  const invite = async (emails: readonly string[], terms: Terms): Promise<Answer<Outcome>> => {
    const data = await inviteAll(emails, (email, nth) => {
      if (emails.length > 1) setProgress(texts.inviting(nth, emails.length));
      return change('post', '/v1/workspaces/{workspace}/members', { path: { workspace }, body: { email, ...terms } });
    });
    setProgress(null);
    return { ok: true, data };
  };

  if (outcome !== null) return <Invited outcome={outcome} onClose={onClose} />;
  return (
    <Dialog title={texts.inviteTitle} onClose={close}>
      <form
        class="form"
        onInput={({ currentTarget }) => draft.keep(currentTarget)}
        onSubmit={(event) => void submit(event)}
      >
        <Field label={texts.emails} hint={texts.emailsHint} error={wrong}>
          <textarea
            name="email"
            rows={3}
            defaultValue={draft.field('email')}
            required
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={({ currentTarget }) => setSeveral(addressesIn(currentTarget.value).emails.length > 1)}
          />
        </Field>
        {!isSeveral && (
          <Field label={texts.name} hint={texts.nameHint}>
            <input name="name" maxLength={255} autocomplete="off" />
          </Field>
        )}
        <RoleChoice isOwner={isOwner} current="member" />
        <p class="hint" role="status">
          {progress}
        </p>
        <FormEnd label={texts.add} problem={null} isWorking={isWorking} onClose={close} />
      </form>
    </Dialog>
  );
}

/** Lists the invited with links, the others with reasons. */
function Invited({
  outcome: { added, refused },
  onClose,
}: {
  readonly outcome: Outcome;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={texts.inviteTitle} onClose={onClose} wide done={texts.linkDone}>
      {refused.length > 0 && (
        <div class="note note-problem" role="alert">
          <div>
            <p>{texts.notInvited(refused.length)}</p>
            <ul>
              {refused.map(({ email, why }) => (
                <li key={email}>{`${email}: ${why}`}</li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {added.length > 0 && <p class="dialog-text">{texts.invited(added.length)}</p>}
      {added.length > 0 && (
        <Command
          text={added.map(({ member, invitation }) => `${member.email}  ${invitation?.link ?? ''}`).join('\n')}
        />
      )}
    </Dialog>
  );
}
