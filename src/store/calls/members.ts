/** The dashboard's calls about members and the audit log. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/** `devices`: how many of theirs are active. */
export type ListedMember = ApiSchema<'ListedMember'>;
/** `sessions`: those that may act in the workspace, last used first. */
export type MemberInFull = ApiSchema<'MemberInFull'>['member'];
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
