import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { members as texts } from '../../texts/members.ts';

/** The end of sessions or membership. */
export type End = keyof typeof texts.ends;

interface Props {
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

export function EndDialog({ end, workspace, member: { email, name }, onDone, onClose }: Props) {
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
