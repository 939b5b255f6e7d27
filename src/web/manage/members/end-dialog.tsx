import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { texts } from '../../texts/members.ts';

/** What ends for a member: their sessions, or that they belong here. */
export type End = keyof typeof texts.ends;

interface Props {
  readonly end: End;
  readonly workspace: string;
  readonly member: Schema<'Member'>;
  /** `text`: what was done. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const CALLS = {
  signOut: (path: Address) => change('delete', '/v1/workspaces/{workspace}/members/{email}/sessions', { path }),
  remove: (path: Address) => change('delete', '/v1/workspaces/{workspace}/members/{email}', { path }),
};

type Address = Readonly<Record<'workspace' | 'email', string>>;

/** Says what will end, and what will not, and ends it. */
export function EndDialog({ end, workspace, member: { email, name }, onDone, onClose }: Props) {
  const { button, question, text, besides, done } = texts.ends[end];
  return (
    <ConfirmDialog
      title={question(name)}
      action={button}
      call={() => CALLS[end]({ workspace, email })}
      onDone={() => onDone(done(name))}
      onClose={onClose}
    >
      <p>{text}</p>
      {besides !== null && <p>{besides}</p>}
    </ConfirmDialog>
  );
}
