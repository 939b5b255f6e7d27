import type { Schema } from '../../api/client.ts';
import { usePerson } from '../../session.ts';
import { texts } from '../../texts/members.ts';
import type { End } from './end-dialog.tsx';

type Member = Schema<'Member'>;

interface Props {
  readonly member: Member;
  /** Whether the one who looks is an owner: only they touch owners. */
  readonly isOwner: boolean;
  readonly onRole: (to: Member['role']) => void;
  readonly onAsk: (what: 'pair' | End) => void;
}

export function MemberRow({ member: { email, name, role }, isOwner, onRole, onAsk }: Props) {
  const isSelf = usePerson()?.user.email === email;
  const mayTouch = isOwner || role !== 'owner';
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="entry-name" dir="auto">
          {name}
        </p>
        <p class="entry-meta">
          {name !== email && <span>{email}</span>}
          {isSelf && <span>{texts.you}</span>}
          {!mayTouch && <span>{texts.roles[role]}</span>}
        </p>
      </div>
      {mayTouch && (
        <div class="actions">
          <select
            aria-label={texts.roleOf(name)}
            value={role}
            onChange={(event) => onRole(event.currentTarget.value as Member['role'])}
          >
            <Roles withOwner={isOwner} />
          </select>
          <button type="button" aria-label={texts.pairNamed(name)} onClick={() => onAsk('pair')}>
            {texts.pair}
          </button>
          {/* One's own sessions are in the settings. */}
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
        </div>
      )}
    </li>
  );
}

/** The roles that the user may give. */
export function Roles({ withOwner }: { readonly withOwner: boolean }) {
  const roles = (['member', 'admin', 'owner'] as const).filter((role) => withOwner || role !== 'owner');
  return (
    <>
      {roles.map((role) => (
        <option key={role} value={role}>
          {texts.roles[role]}
        </option>
      ))}
    </>
  );
}
