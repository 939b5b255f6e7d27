import type { Schema } from '../../api/client.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { usePerson } from '../../session.ts';
import { members as texts } from '../../texts/members.ts';
import { Fact, Line } from '../line.tsx';
import { type MemberAction, MemberActions } from './member-actions.tsx';

interface Props {
  readonly workspace: string;
  readonly member: Schema<'ListedMember'>;
  /** Only owners may change owners. */
  readonly isOwner: boolean;
  readonly onAsk: (what: MemberAction) => void;
}

export function MemberRow({ workspace, member, isOwner, onAsk }: Props) {
  const { email, name, role, devices } = member;
  const isSelf = usePerson()?.user.email === email;
  return (
    <Line
      href={`/w/${workspace}/members/${encodeURIComponent(email)}`}
      name={name}
      more={name === email ? null : email}
    >
      {isSelf && <Fact>{texts.you}</Fact>}
      <Fact isWide>{texts.devices(devices)}</Fact>
      <Fact>{texts.roles[role]}</Fact>
      {(isOwner || role !== 'owner') && (
        <RowMenu label={texts.menu(name)}>
          <MemberActions member={member} onAsk={onAsk} />
        </RowMenu>
      )}
    </Line>
  );
}
