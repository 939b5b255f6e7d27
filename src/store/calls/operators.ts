import type { ApiSchema, BodyOf, QueryOf } from '../../contract/api-types.ts';
import { type InsistPolicy, quietInWords, ringsInWords } from '../../contract/ringing.ts';
import type { Role, Route } from '../../push.ts';
import { call, change } from '../call.ts';
import type {
  ApiKey,
  Channel,
  Member,
  Plan,
  RouteState,
  ShownChannel,
  Workspace,
  WorkspaceWithUsage,
} from '../records.ts';
import type { Refusal } from '../refusal.ts';
import type { OwnedDevice } from './devices.ts';

/** Operators' calls of the command line tool, some also for the dashboard. */

export const OPERATOR_CALLS = {
  createWorkspace: call<{ slug: string; name?: string; plan?: string }, Workspace | Refusal>({
    audit: ({ slug }) => change('workspace.create', slug, slug),
  }),
  listWorkspaces: call<Record<string, never>, readonly Workspace[]>({ reads: true }),
  showWorkspace: call<{ slug: string }, (Workspace & WorkspaceWithUsage) | Refusal>({ reads: true }),
  /** Changes the displayed name only. */
  renameWorkspace: call<{ slug: string; name: string }, Workspace | Refusal>({
    invalidates: ['sessions'],
    audit: ({ slug }, { name }) => change('workspace.rename', slug, `"${name}"`),
  }),
  setWorkspaceStatus: call<{ slug: string; status: Workspace['status'] }, Workspace | Refusal>({
    canRevoke: true,
    invalidates: ['keys', 'queue', 'sessions'],
    audit: ({ slug, status }) => change(status === 'active' ? 'workspace.activate' : 'workspace.suspend', slug, slug),
  }),
  setWorkspacePlan: call<{ slug: string; plan: string }, Workspace | Refusal>({
    audit: ({ slug, plan }) => change('workspace.set-plan', slug, plan),
  }),
  /** Deletes a workspace at once; nothing more of it is sent. Its rows are removed in small steps. */
  deleteWorkspace: call<{ slug: string }, Workspace | Refusal>({
    canRevoke: true,
    invalidates: ['keys', 'queue', 'cleanup', 'sessions'],
    audit: ({ slug }) => change('workspace.delete', slug, slug),
  }),
  setPlan: call<{ name: string; monthlyEvents: number | null }, Plan | Refusal>({
    audit: ({ name, monthlyEvents }) => change('plan.set', null, `${name}: ${monthlyEvents ?? 'unlimited'}`),
  }),
  listPlans: call<Record<string, never>, readonly Plan[]>({ reads: true }),
  createChannel: call<BodyOf<'createChannel'> & { workspace: string }, Channel | Refusal>({
    audit: ({ workspace, slug }) => change('channel.create', workspace, slug),
  }),
  listChannels: call<{ workspace: string }, readonly Channel[] | Refusal>({ reads: true }),
  showChannel: call<{ workspace: string; slug: string }, ShownChannel | Refusal>({ reads: true }),
  /** Lists subscribed devices, also inactive, with their channels here. `after`: the previous page's `next`. */
  listSubscribers: call<
    { workspace: string; slug: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal
  >({ reads: true, offThread: true }),
  /**
   * Changes a channel. Absent fields stay. `newSlug` replaces the slug; subscriptions, events and bound keys stay. If
   * the channel becomes inactive or insists no more, its alerts are resolved.
   */
  updateChannel: call<
    BodyOf<'updateChannel'> & { workspace: string; slug: string; newSlug?: string },
    Channel | Refusal
  >({
    invalidates: ['alerts', 'keys', 'queue', 'cleanup'],
    audit: ({ workspace, slug: old, ...asked }, { slug, name, status, insist, quiet, rings }) => {
      const moved = old === slug ? slug : `${old} to ${slug}`;
      const how = [
        ...(asked.insist === undefined ? [] : [insist === null ? 'does not insist' : insisting(insist)]),
        ...(asked.quiet === undefined ? [] : [quiet === null ? 'no quiet hours' : `quiet ${quietInWords(quiet)}`]),
        ...(asked.rings === undefined ? [] : [rings === null ? 'rings without limit' : `rings ${ringsInWords(rings)}`]),
      ];
      return change('channel.update', workspace, [`${moved}: ${status}, "${name}"`, ...how].join(', '));
    },
  }),
  /** Deletes a channel, in steps, and resolves its alerts. Returns it. */
  deleteChannel: call<{ workspace: string; slug: string }, Channel | Refusal>({
    canRevoke: true,
    invalidates: ['alerts', 'keys', 'queue', 'cleanup'],
    audit: ({ workspace, slug }) => change('channel.delete', workspace, slug),
  }),
  /** `secretHash`: hex; the secret never comes here. */
  issueKey: call<IssueKeyArgs, ApiKey | Refusal>({
    invalidates: ['keys'],
    audit: ({ workspace }, { id, name, level, delivery_urgency: urgency }) =>
      change('key.issue', workspace, [`${id} "${name}"`, level, urgency].filter(Boolean).join(', ')),
  }),
  listKeys: call<{ workspace: string }, readonly ApiKey[] | Refusal>({ reads: true }),
  /** Lists by name. `q`: part of the name or id. `after`: the previous page's `next`. */
  findKeys: call<
    Omit<QueryOf<'listKeys'>, 'limit'> & { workspace: string; limit: number },
    ApiSchema<'KeyList'> | Refusal
  >({ reads: true, internal: true }),
  /** Lists the keys of all workspaces in order. `after`: the previous page's `next`. */
  listAllKeys: call<
    { limit: number; after?: string },
    { keys: readonly (ApiKey & { workspace: string })[]; next: string | null } | Refusal
  >({ reads: true }),
  /** `workspace`: only its keys. */
  revokeKey: call<{ id: string; workspace?: string }, ApiKey | Refusal>({
    invalidates: ['keys'],
    audit: (_, { id, name }) => change('key.revoke', { ofKey: id }, `${id} "${name}"`),
  }),
  /**
   * Issues a key with the old one's name, scopes, channels, burst and defaults. It lives as long as `expires` says,
   * otherwise as long from now as the old key was to live at its issue. The old key expires `graceMs` later at the
   * latest. Refused while an earlier successor works, unless asked `again`: then that one is `revoked`. `workspace`:
   * only its keys.
   */
  rotateKey: call<RotateKeyArgs, { api_key: ApiKey; revoked: string | null } | Refusal>({
    invalidates: ['keys'],
    audit: ({ id: old }, { api_key: { id, name }, revoked }) => {
      const instead = revoked === null ? '' : `, ${revoked} revoked`;
      return change('key.rotate', { ofKey: id }, `${old} to ${id} "${name}"${instead}`);
    },
  }),
  /** Users need a role for this and the next calls; operators do not. */
  addMember: call<
    { workspace: string; email: string; name?: string; role: Role; password?: string },
    (Member & { more?: true }) | Refusal
  >({
    invalidates: ['sessions'],
    rest: (args, { more }) => (more ? { name: 'addMember', args } : null),
    audit: ({ workspace }, { email, role, more }) =>
      more ? null : change('member.add', workspace, `${email} as ${role}`),
  }),
  listMembers: call<{ workspace: string }, readonly Member[] | Refusal>({ reads: true }),
  /** Renames a person in all workspaces. */
  renameUser: call<{ email: string; name: string }, { email: string; name: string } | Refusal>({
    invalidates: ['sessions'],
    own: 'session',
    audit: (_, { email, name }) => change('member.rename', null, `${email}: "${name}"`),
  }),
  /**
   * The last owner stays. `waits`: some sign-in is not vouched for up to this role, so the person needs an invitation.
   */
  setMemberRole: call<{ workspace: string; email: string; role: Role }, { member: Member; waits: boolean } | Refusal>({
    invalidates: ['sessions'],
    audit: ({ workspace }, { member: { email, role } }) => change('member.role', workspace, `${email} as ${role}`),
  }),
  /**
   * Ends the member's pushes of this workspace at once; subscriptions, or the devices themselves, are removed in small
   * steps. `endInvited`: revokes what the member vouched for in this workspace, and ends sessions left without rights.
   */
  removeMember: call<{ workspace: string; email: string; endInvited?: boolean }, Member | Refusal>({
    canRevoke: true,
    invalidates: ['queue', 'cleanup', 'sessions'],
    audit: ({ workspace }, { email }) => change('member.remove', workspace, email),
  }),
  /**
   * `codeHash`: SHA-256 of the code, hex. Voids the user's earlier codes that give nothing beyond it. If an operator
   * asks, the code vouches for everything. With `workspace`, it vouches for that one, up to the role of the manager who
   * asks. Without it, only the asking session's own user can be meant, and the code carries the session's rights.
   */
  createPairingCode: call<
    { email: string; codeHash: string; lifeMs: number; workspace?: string },
    { email: string; expires_at: string } | Refusal
  >({ audit: ({ workspace = null }, { email }) => change('member.pair', workspace, email) }),
  /** Lists the state of each route, with the devices that it refuses. */
  listRoutes: call<Record<string, never>, readonly RouteState[]>({ reads: true, offThread: true }),
  /** Pauses the route until it is resumed. A route that is paused already keeps the time of that pause. */
  pauseRoute: call<{ route: Route }, { route: Route; paused_at: string }>({
    invalidates: ['routes'],
    audit: (_, { route }) => change('route.pause', null, route),
  }),
  /** Ends an operator's pause. Servers try otherwise paused routes at once. */
  resumeRoute: call<{ route: Route }, { route: Route; was_paused: boolean }>({
    invalidates: ['routes'],
    audit: ({ route }) => change('route.resume', null, route),
  }),
  /**
   * Returns dead letters to the queue, to be tried again. `places`: parts of the events, one for each route. `more`: others
   * are left for the next call.
   */
  retryDeadLetters: call<Record<string, never>, { events: number; places: number; more: boolean }>({
    invalidates: ['queue'],
    audit: (_, { events }) => change('queue.retry', null, `${events} dead letter${events === 1 ? '' : 's'}`),
  }),
  /** The public half of `vapidKeys`. */
  showWebPushKey: call<Record<string, never>, { public_key: string }>({ audit: null }),
  /** Records a backup, only in the audit log. */
  recordBackup: call<{ file: string }, null>({ audit: ({ file }) => change('backup.make', null, file) }),
};

function insisting({ repeat, until, ring_after, escalate, on_call }: InsistPolicy): string {
  const further = escalate === undefined ? '' : `, to ${escalate.channel} after ${escalate.after} s`;
  const waits = ring_after === 0 ? '' : `, rings after ${ring_after} s`;
  const alone = on_call === undefined ? '' : `, by rota ${on_call.rota}, for everyone after ${on_call.widen_after} s`;
  return `insists every ${repeat} s for ${until} s${waits}${alone}${further}`;
}

export interface IssueKeyArgs extends Omit<BodyOf<'createKey'>, 'name' | 'expiresAt'> {
  readonly workspace: string;
  readonly id: string;
  readonly secretHash: string;
  readonly name?: string;
  readonly expires?: Expiry;
}
/** The time at which a new key expires, or how long after it was made. */
export type Expiry = { readonly atMs: number } | { readonly afterMs: number };
export interface RotateKeyArgs extends Pick<BodyOf<'rotateKey'>, 'again'> {
  readonly id: string;
  readonly workspace?: string;
  readonly newId: string;
  readonly secretHash: string;
  readonly graceMs: number;
  readonly expires?: Expiry;
}

export const STATS_CALLS = {
  /** `by`: also a line per hour or day. */
  stats: call<{ workspace?: string; sinceMs: number; by?: 'hour' | 'day' }, Stats | Refusal>({
    reads: true,
    offThread: true,
  }),
};

type Answer = ApiSchema<'StatisticsAnswer'>['stats'];
/** Only the providers know what its reasons mean. */
export interface Stats extends Omit<Answer, 'reasons'> {
  readonly reasons: readonly Omit<Answer['reasons'][number], 'means' | 'remedy'>[];
}
/** This month's events, and projected total at the last seven days' rate. */
export type WorkspaceForecast = Answer['usage'][number];
export type StatsCounts = Answer['totals'];
