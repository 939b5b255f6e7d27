import type { Schema } from '../../api/client.ts';
import { members as texts } from '../../texts/members.ts';

type Role = Schema<'Member'>['role'];

const ROLES: readonly Role[] = ['member', 'admin', 'owner'];

interface Props {
  /** Only owners make others owners. */
  readonly isOwner: boolean;
  readonly current: Role;
  readonly error: string | undefined;
}

export function RoleChoice({ isOwner, current, error }: Props) {
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
      {error && <p class="field-error">{error}</p>}
    </fieldset>
  );
}
