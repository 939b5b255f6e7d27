/** Calls of the dashboard about members and the audit log, beside those of operators. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/** `devices`: how many of theirs are active. */
export type ListedMember = ApiSchema<'ListedMember'>;
/** `sessions`: those that may act in the workspace, the one that was used last first. */
export type MemberInFull = ApiSchema<'MemberInFull'>['member'];
export type AuditEntry = ApiSchema<'AuditEntry'>;

/** `actor`: an exact name. `action`: one such as `key.revoke`, or all of a noun, `key`. */
export interface AuditFilter extends Pick<QueryOf<'listAudit'>, 'actor' | 'action' | 'before'> {
  readonly workspace?: string;
  readonly sinceMs?: number;
  readonly limit: number;
}

export const MEMBER_CALLS = {
  /**
   * In the order of their addresses. `q`: what the name or address holds. `hasDevice`: whether they have one that is
   * active. `after`: the `next` of the page before.
   */
  findMembers: call<
    Omit<QueryOf<'listMembers'>, 'limit'> & { workspace: string; limit: number },
    ApiSchema<'MemberList'> | Refusal
  >({ reads: true, internal: true, offThread: true }),
  showMember: call<{ workspace: string; email: string }, MemberInFull | Refusal>({ reads: true, internal: true }),
  /** The newest first. `before`: the `next` of the page before. Looks at a bounded number of entries, as a search does. */
  listAudit: call<AuditFilter, ApiSchema<'AuditLog'> | Refusal>({
    reads: true,
    offThread: ({ actor, action }) => (actor ?? action) !== undefined,
  }),
};
