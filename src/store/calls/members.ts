import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { unreachable } from '../../push.ts';
import { type Change, call, change } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/** The dashboard's calls about members and the audit log. */

/** `sessions`: those that may act in the workspace, last used first. */
type MemberInFull = ApiSchema<'MemberInFull'>['member'];
export type AuditEntry = ApiSchema<'AuditEntry'>;

/** `actor`: an exact name. `action`: one such as `key.revoke`, or all of a noun, such as `key`. */
export interface AuditFilter extends Pick<QueryOf<'listAudit'>, 'actor' | 'action' | 'before'> {
  readonly workspace?: string;
  readonly sinceMs?: number;
  readonly limit: number;
}

export const MEMBER_CALLS = {
  /**
   * Lists members by address. `q`: part of the name or address. `hasDevice`: whether they have an active device.
   * `after`: the previous page's `next`.
   */
  findMembers: call<
    Omit<QueryOf<'listMembers'>, 'limit'> & { workspace: string; limit: number },
    ApiSchema<'MemberList'> | Refusal
  >({ reads: true, internal: true, offThread: true }),
  showMember: call<{ workspace: string; email: string }, MemberInFull | Refusal>({ reads: true, internal: true }),
  /** Lists newest first. `before`: the previous page's `next`. Examines a bounded number of entries. */
  listAudit: call<AuditFilter, ApiSchema<'AuditLog'> | Refusal>({
    reads: true,
    offThread: ({ actor, action }) => (actor ?? action) !== undefined,
  }),
};

export interface LinkedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly linked_at: string;
}
/**
 * A provider sign-in's result. `known` and `linked`: a code was made. `unknown`: no email to link by. `linked_already`:
 * the member with this address is linked to another account.
 */
interface IdentityPaired {
  readonly kind: 'known' | 'linked' | 'unknown' | 'not_member' | 'linked_already';
}

export const IDENTITY_CALLS = {
  /**
   * Makes a pairing code for an identity, vouched for everything, as the operator trusts the provider. `email`: an
   * address that the provider vouches for; it links an unknown identity to a member. Null: only a known identity is
   * accepted. `isProof`: the person has authenticated just now.
   */
  pairByIdentity: call<
    {
      issuer: string;
      subject: string;
      email: string | null;
      codeHash: string;
      lifeMs: number;
      isProof: boolean;
    },
    IdentityPaired
  >({ internal: true, audit: ({ email }, { kind }) => linkChange(kind, email ?? '') }),
  listIdentities: call<{ email: string }, readonly LinkedIdentity[] | Refusal>({ reads: true }),
  /** Unlinks identities, ends all sessions and voids pairing codes: they may be another person's. */
  unlinkIdentities: call<
    { email: string; unlinked?: number; closed?: number },
    { email: string; unlinked: number; closed: number; more?: true } | Refusal
  >({
    invalidates: ['sessions'],
    own: 'sessions',
    rest: (_, { more, ...done }) => (more ? { name: 'unlinkIdentities', args: done } : null),
    audit: (_, { email, more }) => (more ? null : change('member.unlink', null, email)),
  }),
};

/** Returns the audit entry of a sign-in that linked a member or was rejected. `email`: vouched by the provider. */
function linkChange(kind: IdentityPaired['kind'], email: string): Change | null {
  switch (kind) {
    case 'known':
    case 'unknown':
      return null;
    case 'linked':
      return change('member.link', null, email);
    case 'not_member':
      return change('member.link-refused', null, `${email}: not a member`);
    case 'linked_already':
      return change('member.link-refused', null, `${email}: linked to another identity`);
    default:
      return unreachable(kind);
  }
}
