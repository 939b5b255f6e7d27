import { canonicalEmail } from '../../contract/names.ts';
import { isRefusal, type Refusal } from '../calls.ts';
import { noChannel, noDevice, noKey, noMember, noUser, noWorkspace } from '../refusals.ts';
import type { Db } from '../sqlite/transaction.ts';
import type { KeyRow } from './keys/rows.ts';

export interface WorkspaceRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly plan: string;
  readonly created_at: number;
}

export interface ChannelRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'inactive';
}

export interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
}

/** Who belongs to no workspace is being removed (remains.ts), and as if not there. */
export const IS_MEMBER = 'EXISTS (SELECT 1 FROM member WHERE member.user_id = user.id)';

/** Finds by name what somebody named, or refuses. */
export interface Lookups {
  workspace(slug: string): WorkspaceRow | Refusal;
  /** By an id that a foreign key keeps. */
  workspaceById(id: number): WorkspaceRow;
  channel(workspace: WorkspaceRow, slug: string): ChannelRow | Refusal;
  /** The ids of all of them, or why the first one is missing. */
  channelIds(workspace: WorkspaceRow, slugs: readonly string[]): readonly number[] | Refusal;
  /** With a workspace's slug, the keys of all others are not there. */
  key(id: string, workspace: string | undefined): KeyRow | Refusal;
  user(email: string): UserRow | Refusal;
  member(workspace: WorkspaceRow, email: string): UserRow | Refusal;
  /** A workspace that this person belongs to. Any other is as if it were not there. */
  workspaceOf(userId: number, slug: string): WorkspaceRow | Refusal;
  /** A device of this person: its internal id. */
  deviceOf(userId: number, publicId: string): number | Refusal;
}

export function lookups(db: Db): Lookups {
  const workspaceBySlug = db.prepare<[string], WorkspaceRow>('SELECT * FROM workspace WHERE slug = ?');
  const workspaceById = db.prepare<[number], WorkspaceRow>('SELECT * FROM workspace WHERE id = ?');
  const channelBySlug = db.prepare<[number, string], ChannelRow>(
    'SELECT id, slug, name, status FROM channel WHERE workspace_id = ? AND slug = ?',
  );
  const keyById = db.prepare<{ id: string; workspace: string | null }, KeyRow>(`
    SELECT * FROM api_key
    WHERE id = :id AND (:workspace IS NULL OR workspace_id = (SELECT id FROM workspace WHERE slug = :workspace))
  `);
  const userByEmail = db.prepare<[string], UserRow>(
    `SELECT id, email, name FROM user WHERE email = ? AND ${IS_MEMBER}`,
  );
  const memberByEmail = db.prepare<[number, string], UserRow>(`
    SELECT user.id, user.email, user.name FROM user JOIN member ON member.user_id = user.id
    WHERE member.workspace_id = ? AND user.email = ?
  `);

  const workspaceOfUser = db.prepare<[string, number], WorkspaceRow>(`
    SELECT workspace.* FROM workspace JOIN member ON member.workspace_id = workspace.id
    WHERE workspace.slug = ? AND member.user_id = ?
  `);
  const deviceOfUser = db
    .prepare<[string, number], number>('SELECT id FROM device WHERE public_id = ? AND user_id = ?')
    .pluck();

  function channel(workspace: WorkspaceRow, slug: string): ChannelRow | Refusal {
    return channelBySlug.get(workspace.id, slug) ?? noChannel(slug, workspace);
  }

  return {
    workspace: (slug) => workspaceBySlug.get(slug) ?? noWorkspace(slug),
    workspaceById(id) {
      const workspace = workspaceById.get(id);
      if (workspace === undefined) throw new Error('a foreign key keeps the workspace');
      return workspace;
    },
    channel,
    channelIds(workspace, slugs) {
      const found = slugs.map((slug) => channel(workspace, slug));
      return found.find(isRefusal) ?? found.flatMap((one) => (isRefusal(one) ? [] : one.id));
    },
    key: (id, workspace) => keyById.get({ id, workspace: workspace ?? null }) ?? noKey(id),
    user: (email) => userByEmail.get(canonicalEmail(email)) ?? noUser(email),
    member: (workspace, email) => memberByEmail.get(workspace.id, canonicalEmail(email)) ?? noMember(email, workspace),
    workspaceOf: (userId, slug) => workspaceOfUser.get(slug, userId) ?? noWorkspace(slug),
    deviceOf: (userId, publicId) => deviceOfUser.get(publicId, userId) ?? noDevice(publicId),
  };
}
