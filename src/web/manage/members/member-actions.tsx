import type { Schema } from '../../api/client.ts';
import { usePerson } from '../../session.ts';
import { members as texts } from '../../texts/members.ts';
import type { End } from './end-dialog.tsx';

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
      <button type="button" aria-label={texts.roleOf(name, texts.roles[role])} onClick={() => onAsk('role')}>
        {texts.setRole}
      </button>
      <button type="button" aria-label={texts.pairNamed(name)} onClick={() => onAsk('pair')}>
        {texts.pair}
      </button>
      {/* The settings have the own sessions. */}
      {(isSelf ? (['remove'] as const) : (['signOut', 'remove'] as const)).map((end) => (
        <button
          key={end}
          type="button"
          class="danger"
          aria-label={texts.ends[end].named(name)}
          onClick={() => onAsk(end)}
        >
          {texts.ends[end].button}
        </button>
      ))}
    </>
  );
}
