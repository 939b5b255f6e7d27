/** The dashboard's calls about members and the audit log. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/** `devices`: active ones. */
export type ListedMember = ApiSchema<'ListedMember'>;
/** `sessions`: usable in the workspace, last used first. */
export type MemberInFull = ApiSchema<'MemberInFull'>['member'];
export type AuditEntry = ApiSchema<'AuditEntry'>;

/** `actor`: an exact name. `action`: such as `key.revoke`, or a noun, `key`. */
export interface AuditFilter extends Pick<QueryOf<'listAudit'>, 'actor' | 'action' | 'before'> {
  readonly workspace?: string;
  readonly sinceMs?: number;
  readonly limit: number;
}

export const MEMBER_CALLS = {
  /**
   * Lists by address. `q`: part of the name or address. `hasDevice`: an active one. `after`: the previous page's
   * `next`.
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
