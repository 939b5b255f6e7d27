import { canonicalEmail } from '../../contract/names.ts';
import type { Moment } from '../../process/clock.ts';
import { type Actor, isRefusal, type Refusal } from '../calls.ts';
import { noChannel, noDevice, noKey, noMember, noUser, noWorkspace } from '../refusals.ts';
import { ifGiven, type Sql } from '../sql.ts';
import type { KeyRow } from './keys/rows.ts';
import { IS_REACHED, IS_VOUCHED, IS_WORKSPACE_THERE, sessionOf } from './people/vouchers.ts';

export interface WorkspaceRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly plan: string;
  readonly created_at: number;
}

interface ChannelRow {
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

/** A person without a workspace is being removed (cleanup-jobs.ts): absent. */
export const IS_MEMBER = `EXISTS (SELECT 1 FROM member WHERE member.user_id = person.id AND ${IS_WORKSPACE_THERE})`;

/** Finds named things, or refuses the call. */
interface Lookups {
  workspace(slug: string): Promise<WorkspaceRow | Refusal>;
  /** Returns a handler that resolves the workspace: `work` gets it and the other arguments. */
  withWorkspace<A extends { readonly workspace: string }, R>(
    work: (workspace: WorkspaceRow, args: Omit<A, 'workspace'>, now: Moment, actor?: Actor) => Promise<R>,
  ): (args: A, now: Moment, actor?: Actor) => Promise<R | Refusal>;
  /** Undefined: deleted; the row naming it waits for removal. */
  workspaceById(id: number): Promise<WorkspaceRow | undefined>;
  channel(workspace: WorkspaceRow, slug: string): Promise<ChannelRow | Refusal>;
  /** Returns all ids, or why the first missing one is missing. */
  channelIds(workspace: WorkspaceRow, slugs: readonly string[]): Promise<readonly number[] | Refusal>;
  /** Finds a key; with a slug only in that workspace. */
  key(id: string, workspace: string | undefined): Promise<KeyRow | Refusal>;
  user(email: string): Promise<UserRow | Refusal>;
  member(workspace: WorkspaceRow, email: string): Promise<UserRow | Refusal>;
  /** Finds a member of this workspace, or of any without a slug. */
  userIn(slug: string | undefined, email: string): Promise<UserRow | Refusal>;
  /** Finds a person's workspace in which the actor may act. Others are absent. */
  workspaceOf(userId: number, slug: string, actor: Actor | undefined): Promise<WorkspaceRow | Refusal>;
  /** Returns the internal id of this person's device if visible to the actor (`IS_REACHED`). */
  deviceOf(userId: number, publicId: string, actor: Actor | undefined): Promise<number | Refusal>;
}

export function lookups(sql: Sql): Lookups {
  const workspaceBySlug = sql.get<{ slug: string }, WorkspaceRow>('SELECT * FROM workspace WHERE slug = :slug');
  const workspaceById = sql.get<{ id: number }, WorkspaceRow>('SELECT * FROM workspace WHERE id = :id');
  const channelBySlug = sql.get<{ workspaceId: number; slug: string }, ChannelRow>(
    'SELECT id, slug, name, status FROM channel WHERE workspace_id = :workspaceId AND slug = :slug',
  );
  const keyById = sql.get<{ id: string; workspace: string | null }, KeyRow>(`
    SELECT * FROM api_key WHERE id = :id AND EXISTS (
      SELECT 1 FROM workspace
      WHERE workspace.id = api_key.workspace_id AND ${ifGiven('workspace', 'workspace.slug = :workspace')}
    )
  `);
  const userByEmail = sql.get<{ email: string }, UserRow>(
    `SELECT id, email, name FROM person WHERE email = :email AND ${IS_MEMBER}`,
  );
  const memberByEmail = sql.get<{ workspaceId: number; email: string }, UserRow>(`
    SELECT person.id, person.email, person.name FROM person JOIN member ON member.user_id = person.id
    WHERE member.workspace_id = :workspaceId AND person.email = :email
  `);
  const workspaceOfUser = sql.get<{ slug: string; userId: number; session: Buffer }, WorkspaceRow>(`
    SELECT workspace.* FROM workspace JOIN member ON member.workspace_id = workspace.id
    WHERE workspace.slug = CAST(:slug AS TEXT) AND member.user_id = CAST(:userId AS BIGINT)
      AND ${IS_VOUCHED}
  `);
  const deviceOfUser = sql.value<{ publicId: string; userId: number; session: Buffer }, number>(
    `SELECT id FROM device WHERE public_id = :publicId AND user_id = :userId AND ${IS_REACHED}`,
  );

  const user = async (email: string): Promise<UserRow | Refusal> =>
    (await userByEmail({ email: canonicalEmail(email) })) ?? noUser(email);

  const member = async (workspace: WorkspaceRow, email: string): Promise<UserRow | Refusal> =>
    (await memberByEmail({ workspaceId: workspace.id, email: canonicalEmail(email) })) ?? noMember(email, workspace);

  async function channel(workspace: WorkspaceRow, slug: string): Promise<ChannelRow | Refusal> {
    return (await channelBySlug({ workspaceId: workspace.id, slug })) ?? noChannel(slug, workspace);
  }

  return {
    workspace: async (slug) => (await workspaceBySlug({ slug })) ?? noWorkspace(slug),
    withWorkspace:
      (work) =>
      async ({ workspace: slug, ...args }, now, actor) => {
        const workspace = await workspaceBySlug({ slug });
        return workspace === undefined ? noWorkspace(slug) : work(workspace, args, now, actor);
      },
    workspaceById: async (id) => workspaceById({ id }),
    channel,
    async channelIds(workspace, slugs) {
      const ids: number[] = [];
      for (const slug of slugs) {
        const found = await channel(workspace, slug);
        if (isRefusal(found)) return found;
        ids.push(found.id);
      }
      return ids;
    },
    key: async (id, workspace) => (await keyById({ id, workspace: workspace ?? null })) ?? noKey(id),
    user,
    member,
    async userIn(slug, email) {
      if (slug === undefined) return user(email);
      const workspace = (await workspaceBySlug({ slug })) ?? noWorkspace(slug);
      return isRefusal(workspace) ? workspace : member(workspace, email);
    },
    workspaceOf: async (userId, slug, actor) =>
      (await workspaceOfUser({ slug, userId, session: sessionOf(actor) })) ?? noWorkspace(slug),
    deviceOf: async (userId, publicId, actor) =>
      (await deviceOfUser({ publicId, userId, session: sessionOf(actor) })) ?? noDevice(publicId),
  };
}
