/** What the dashboard asks of members and of the audit log, beside what operators may ask as well. */
import type { Role } from '../../push.ts';
import { call } from '../call.ts';
import type { Member } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import type { Session } from './sessions.ts';

/** `devices`: how many of theirs are active. */
export interface ListedMember extends Member {
  readonly devices: number;
}
/** `sessions`: those that may act in the workspace, the one that was used last first. */
export interface MemberInFull extends ListedMember {
  readonly joined_at: string;
  readonly last_seen_at: string | null;
  readonly sessions: readonly Pick<Session, 'user_agent' | 'created_at' | 'last_seen_at'>[];
}
export interface AuditEntry {
  readonly at: string;
  readonly actor: {
    readonly kind: 'operator' | 'user';
    /** An operator's account, a user's email; `pushctl` of what the server did by itself. */
    readonly name: string;
    /** null: on the server itself. */
    readonly address: string | null;
  };
  /** `key.revoke`: a command of the command line. */
  readonly action: string;
  /** null: it concerns no single workspace. */
  readonly workspace: string | null;
  readonly object: string;
}

/** `actor`: an exact name. `action`: one such as `key.revoke`, or all of a noun, `key`. */
export interface AuditFilter {
  readonly workspace?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly sinceMs?: number;
  readonly limit: number;
  readonly before?: string;
}

export const MEMBER_CALLS = {
  /**
   * In the order of their addresses. `q`: what the name or address holds. `hasDevice`: whether they have one that is
   * active. `after`: the `next` of the page before.
   */
  findMembers: call<
    { workspace: string; q?: string; role?: Role; hasDevice?: boolean; limit: number; after?: string },
    { members: readonly ListedMember[]; next: string | null } | Refusal
  >({ reads: true, internal: true, offThread: true }),
  showMember: call<{ workspace: string; email: string }, MemberInFull | Refusal>({ reads: true, internal: true }),
  /** The newest first. `before`: the `next` of the page before. Looks at a bounded number of entries, as a search does. */
  listAudit: call<AuditFilter, { entries: readonly AuditEntry[]; next: string | null } | Refusal>({
    reads: true,
    offThread: ({ actor, action }) => (actor ?? action) !== undefined,
  }),
};
