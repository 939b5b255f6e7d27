import type { Schema } from '../../api/client.ts';
import { usePerson } from '../../session.ts';
import { texts } from '../../texts/members.ts';
import type { End } from './end-dialog.tsx';

type Member = Schema<'Member'>;

interface Props {
  readonly member: Member;
  /** Whether the one who looks is an owner: only they touch owners. */
  readonly isOwner: boolean;
  readonly onAsk: (what: 'role' | 'pair' | End) => void;
}

export function MemberRow({ member: { email, name, role }, isOwner, onAsk }: Props) {
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
          <button type="button" aria-label={texts.roleOf(name, texts.roles[role])} onClick={() => onAsk('role')}>
            {texts.roles[role]}
          </button>
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
