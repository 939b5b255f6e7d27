import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { Command } from '../../components/command.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialogs/dialog.tsx';
import { GroupError } from '../../components/forms/fields.tsx';
import { textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { Time } from '../../components/moment.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import type { Done } from '../../components/toast.tsx';
import { msOf, times } from '../../format/time.ts';
import { usePerson } from '../../session.ts';
import { members as texts } from '../../texts/members.ts';

type Member = Pick<Schema<'Member'>, 'email' | 'name' | 'role'>;
export type MemberAction = 'role' | 'pair' | End;

interface Props {
  readonly member: Member;
  readonly onAsk: (what: MemberAction) => void;
}

export function MemberActions({ member: { email, name, role }, onAsk }: Props) {
  const isSelf = usePerson()?.user.email === email;
  return (
    <>
      <Button text={texts.setRole} named={texts.roleOf(name, texts.roles[role])} onClick={() => onAsk('role')} />
      <Button text={texts.pair} named={texts.pairNamed(name)} onClick={() => onAsk('pair')} />
      {/* The settings have the own sessions. */}
      {(isSelf ? (['remove'] as const) : (['signOut', 'remove'] as const)).map((end) => (
        <Button
          key={end}
          text={texts.ends[end].button}
          class="danger"
          named={texts.ends[end].named(name)}
          onClick={() => onAsk(end)}
        />
      ))}
    </>
  );
}

/** `made`: a link that exists already. */
export interface OpenAction {
  readonly kind: MemberAction;
  readonly member: Member;
  readonly made?: Schema<'Pairing'>;
}

interface MemberDialogsProps {
  readonly workspace: string;
  readonly isOwner: boolean;
  readonly open: OpenAction | null;
  readonly setOpen: (open: OpenAction | null) => void;
  /** Reports a change to a member, who must be reloaded. */
  readonly onDone: (done: Done) => void;
}

export function MemberDialogs({ workspace, isOwner, open, setOpen, onDone }: MemberDialogsProps) {
  const taken = useChange();
  const close = (): void => setOpen(null);
  const changed = ({ member, invitation }: Schema<'MemberAnswer'>, undo?: () => unknown): void => {
    onDone({ text: texts.isNow(member.name, texts.roles[member.role]), ...(undo && { undo }) });
    // Current sessions lack the new role until its link is opened.
    if (invitation !== null) setOpen({ kind: 'pair', member, made: invitation });
  };
  const takeBack = async ({ email }: Member, role: Member['role']): Promise<void> => {
    const input = { path: { workspace, email }, body: { role } };
    const made = await taken.make(() => change('patch', '/v1/workspaces/{workspace}/members/{email}', input));
    if (made !== null) changed(made.data);
  };
  if (open === null) return <ProblemNote problem={taken.problem} />;
  const { kind, member, made = null } = open;
  if (kind === 'pair') return <PairingDialog workspace={workspace} member={member} made={made} onClose={close} />;
  if (kind === 'role') {
    return (
      <RoleDialog
        workspace={workspace}
        member={member}
        isOwner={isOwner}
        onDone={(answer) => changed(answer, () => takeBack(answer.member, member.role))}
        onClose={close}
      />
    );
  }
  return (
    <EndDialog end={kind} workspace={workspace} member={member} onDone={(text) => onDone({ text })} onClose={close} />
  );
}

interface RoleDialogProps {
  readonly workspace: string;
  readonly member: Member;
  readonly isOwner: boolean;
  readonly onDone: (changed: Schema<'MemberAnswer'>) => void;
  readonly onClose: () => void;
}

function RoleDialog({ workspace, member, isOwner, onDone, onClose }: RoleDialogProps) {
  const roleIn = (form: FormData) => textOf(form, 'role') as Member['role'];
  const isChanged = (form: FormData): boolean => {
    const isOther = roleIn(form) !== member.role;
    if (!isOther) onClose();
    return isOther;
  };
  const send = (form: FormData) => {
    const input = { path: { workspace, email: member.email }, body: { role: roleIn(form) } };
    return change('patch', '/v1/workspaces/{workspace}/members/{email}', input);
  };
  return (
    <FormDialog
      title={texts.roleTitle(member.name)}
      label={texts.setRole}
      isSendable={isChanged}
      onDone={(answer) => {
        onClose();
        onDone(answer);
      }}
      {...{ send, onClose }}
    >
      <RoleChoice isOwner={isOwner} current={member.role} />
    </FormDialog>
  );
}

type Role = Schema<'Member'>['role'];

const ROLES: readonly Role[] = ['member', 'admin', 'owner'];

interface RoleChoiceProps {
  /** Only owners make others owners. */
  readonly isOwner: boolean;
  readonly current: Role;
}

export function RoleChoice({ isOwner, current }: RoleChoiceProps) {
  return (
    <fieldset class="checks">
      <legend>{texts.role}</legend>
      {ROLES.filter((role) => isOwner || role !== 'owner').map((role) => (
        <label key={role}>
          <input type="radio" name="role" value={role} defaultChecked={role === current} />
          <span>
            {texts.roles[role]} <span class="hint">{texts.roleMeans[role]}</span>
          </span>
        </label>
      ))}
      <GroupError field="role" />
    </fieldset>
  );
}

interface PairingDialogProps {
  readonly workspace: string;
  readonly member: Pick<Schema<'Member'>, 'email' | 'name'>;
  /** An existing link; null: a new one. */
  readonly made: Schema<'Pairing'> | null;
  readonly onClose: () => void;
}

/** Makes a link on opening: it signs in once, or adds rights to a session. */
function PairingDialog({ workspace, member: { email, name }, made, onClose }: PairingDialogProps) {
  const path = { workspace, email };
  const pairing = useLoad(email, () =>
    made !== null
      ? Promise.resolve({ ok: true as const, data: made })
      : change('post', '/v1/workspaces/{workspace}/members/{email}/pairing', { path }),
  );
  return (
    <Dialog title={texts.linkTitle(name)} onClose={onClose} wide done={texts.linkDone}>
      <Loading of={pairing} label={texts.link} rows={1} />
      {pairing.data !== null && <Ways pairing={pairing.data} />}
    </Dialog>
  );
}

function Ways({ pairing: { link, pairing_code, expires_at } }: { readonly pairing: Schema<'Pairing'> }) {
  return (
    <>
      <p class="dialog-text">
        {texts.linkText} {texts.linkEnds} <Time at={expires_at} text={times.clock(msOf(expires_at))} />.
      </p>
      <QrCode text={link} label={texts.qr} />
      <h3 class="dialog-group">{texts.link}</h3>
      <Command text={link} />
      <h3 class="dialog-group">{texts.code}</h3>
      <Command text={pairing_code} />
      <p class="hint">{texts.codeText}</p>
    </>
  );
}

/** The end of sessions or membership. */
type End = keyof typeof texts.ends;

interface EndDialogProps {
  readonly end: End;
  readonly workspace: string;
  readonly member: Pick<Schema<'Member'>, 'email' | 'name'>;
  /** `text`: what was done. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const CALLS = {
  signOut: (path: Address) => change('delete', '/v1/workspaces/{workspace}/members/{email}/sessions', { path }),
  remove: (path: Address, shouldEndInvited: boolean) => {
    return change('delete', '/v1/workspaces/{workspace}/members/{email}', {
      path,
      query: { end_invited: shouldEndInvited },
    });
  },
};

type Address = Readonly<Record<'workspace' | 'email', string>>;

function EndDialog({ end, workspace, member: { email, name }, onDone, onClose }: EndDialogProps) {
  const { button, question, text, besides, done } = texts.ends[end];
  const [endInvited, setEndInvited] = useState(false);
  return (
    <ConfirmDialog
      title={question(name)}
      action={button}
      call={() => CALLS[end]({ workspace, email }, endInvited)}
      onDone={() => onDone(done(name))}
      onClose={onClose}
    >
      <p>{text}</p>
      {besides !== null && <p>{besides}</p>}
      {end === 'remove' && (
        <p>
          <label class="check">
            <input type="checkbox" checked={endInvited} onChange={() => setEndInvited(!endInvited)} />
            {texts.endInvited}
          </label>
        </p>
      )}
    </ConfirmDialog>
  );
}
