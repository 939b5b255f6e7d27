import { canonicalEmail } from '../contract/names.ts';
import type { AnswerOf, ArgsOf, CallName, Refusal } from './calls.ts';

/**
 * What a listener of the server can be told of: `keys`: what a key may do; `queue`: there may be something to send;
 * `remains`: there may be something to remove, or an import to go on with.
 */
export type Topic = 'keys' | 'queue' | 'remains';

/** What the audit log says of a change: names and numbers only, no secrets and nothing of an event's text. */
export interface Change {
  /** A noun and a verb of the command line: `key.revoke`. */
  readonly action: string;
  /** A slug; null: it concerns no single workspace. */
  readonly workspace: string | null;
  readonly object: string;
}

/**
 * Of a call that was carried out. null: there is nothing to tell (yet). `workspaceOf`: the slug of a key's workspace.
 */
type Describe<N extends CallName> = (
  args: ArgsOf<N>,
  done: Exclude<AnswerOf<N>, Refusal>,
  workspaceOf: (keyId: string) => string | null,
) => Change | null;

/** What a call does beyond its answer. */
export interface CallMetadata<N extends CallName = CallName> {
  /** Never writes, so it is answered even while the disk is full. */
  readonly reads?: true;
  /** May take seconds over a large database: a running server answers it beside the store thread. */
  readonly offThread?: true;
  /**
   * Promises nothing new, but carries out what was promised: it goes on also where nothing may be promised any more.
   */
  readonly carriesOut?: true;
  /** A part of something long, which waits for its turn: one goes with a group, and none while the log is too long. */
  readonly isStep?: true;
  readonly invalidates?: readonly Topic[];
  /** Only the server itself asks this, never the command line tool. */
  readonly internal?: true;
  /** What the audit log says of it; null: nothing. */
  readonly audit?: Describe<N> | null;
}

/** What operators and dashboards change has to say what the audit log tells of it. */
type Declared<N extends CallName> = CallMetadata<N> &
  ({ readonly reads: true } | { readonly internal: true } | { readonly audit: Describe<N> | null });

/** The one list of all calls. Their arguments and answers stand in calls.ts. */
export const CALLS: { readonly [N in CallName]: Declared<N> } = {
  ping: { reads: true },
  proveWritable: { internal: true },
  findKey: { reads: true, internal: true },
  touchKey: { internal: true },
  describeConnection: { reads: true },
  // The server itself tells the relay which lanes of which routes have more to do.
  acceptEvent: { internal: true },
  checkEvent: { reads: true, internal: true },
  readEvent: { reads: true },
  readUsage: { reads: true },
  listReachedEvents: { reads: true, internal: true },
  listReachedChannels: { reads: true, internal: true },
  publicDeviceIds: { reads: true, internal: true },

  claimBatches: { internal: true, carriesOut: true },
  settleBatch: { internal: true, carriesOut: true },
  releaseBatch: { internal: true, carriesOut: true },
  expireOverdue: { internal: true, carriesOut: true },
  pruneStep: { internal: true, isStep: true },
  queueDepth: { reads: true, offThread: true },
  queueAge: { reads: true },
  findWatched: { reads: true, internal: true },

  createWorkspace: { audit: ({ slug }) => change('workspace.create', slug, slug) },
  listWorkspaces: { reads: true },
  showWorkspace: { reads: true },
  renameWorkspace: { audit: ({ slug }, { name }) => change('workspace.rename', slug, `"${name}"`) },
  setWorkspaceStatus: {
    invalidates: ['keys', 'queue'],
    audit: ({ slug, status }) => change(status === 'active' ? 'workspace.activate' : 'workspace.suspend', slug, slug),
  },
  setWorkspacePlan: { audit: ({ slug, plan }) => change('workspace.set-plan', slug, plan) },
  deleteWorkspace: {
    invalidates: ['keys', 'queue', 'remains'],
    audit: ({ slug }) => change('workspace.delete', slug, slug),
  },
  setPlan: { audit: ({ name, monthlyEvents }) => change('plan.set', null, `${name}: ${monthlyEvents ?? 'unlimited'}`) },
  listPlans: { reads: true },
  createChannel: { audit: ({ workspace, slug }) => change('channel.create', workspace, slug) },
  listChannels: { reads: true },
  showChannel: { reads: true },
  listSubscribers: { reads: true },
  updateChannel: {
    audit: ({ workspace, slug: old }, { slug, name, status }) => {
      const moved = old === slug ? slug : `${old} to ${slug}`;
      return change('channel.update', workspace, `${moved}: ${status}, "${name}"`);
    },
  },
  deleteChannel: {
    invalidates: ['queue', 'remains'],
    audit: ({ workspace, slug }) => change('channel.delete', workspace, slug),
  },
  issueKey: {
    invalidates: ['keys'],
    audit: ({ workspace }, { id, name }) => change('key.issue', workspace, `${id} "${name}"`),
  },
  listAllKeys: { reads: true },
  listKeys: { reads: true },
  revokeKey: {
    invalidates: ['keys'],
    audit: (_, { id, name }, workspaceOf) => change('key.revoke', workspaceOf(id), `${id} "${name}"`),
  },
  rotateKey: {
    invalidates: ['keys'],
    audit: ({ id: old }, { key: { id, name }, revoked }, workspaceOf) => {
      const instead = revoked === null ? '' : `, ${revoked} revoked`;
      return change('key.rotate', workspaceOf(id), `${old} to ${id} "${name}"${instead}`);
    },
  },
  addMember: { audit: ({ workspace }, { email, role }) => change('member.add', workspace, `${email} as ${role}`) },
  listMembers: { reads: true },
  renameUser: { audit: (_, { email, name }) => change('member.rename', null, `${email}: "${name}"`) },
  setMemberRole: { audit: ({ workspace }, { email, role }) => change('member.role', workspace, `${email} as ${role}`) },
  removeMember: {
    invalidates: ['queue', 'remains'],
    audit: ({ workspace }, { email }) => change('member.remove', workspace, email),
  },
  createPairingCode: { audit: (_, { email }) => change('member.pair', null, email) },
  addDevice: {
    audit: ({ workspace, email }, { device }) =>
      change('device.add', workspace, `${device.id} of ${canonicalEmail(email)}`),
  },
  listDevices: { reads: true },
  // It tells secrets, so it is written to the audit log as a change is.
  exportDevices: {
    audit: ({ workspace, email, after }) =>
      after !== undefined
        ? null
        : change('device.export', workspace, email === undefined ? 'of all members' : `of ${canonicalEmail(email)}`),
  },
  listRoutes: { reads: true, offThread: true },
  pauseRoute: { audit: (_, { route }) => change('route.pause', null, route) },
  resumeRoute: { audit: ({ route }) => change('route.resume', null, route) },
  pruneDevices: {
    isStep: true,
    audit: ({ route, reason }, { pruned }) =>
      pruned === 0 ? null : change('device.prune', null, `${pruned} of ${route}: ${reason}`),
  },
  removeDevice: { audit: (_, { id }) => change('device.remove', null, id) },
  subscribeDevice: {
    audit: ({ id, channels }, { workspace }) =>
      change('device.subscribe', workspace, `${id} to ${channels.join(', ')}`),
  },
  unsubscribeDevice: {
    audit: ({ id, channels }, { workspace }) =>
      change('device.unsubscribe', workspace, `${id} from ${channels.join(', ')}`),
  },
  moveDevice: {
    audit: (_, { device: { id, email }, from }) =>
      email === from ? null : change('device.move', null, `${id} from ${from} to ${email}`),
  },
  // A person's own, which the app may ask for a few times a minute, is no change of the workspace.
  testDevice: {
    invalidates: ['queue'],
    audit: ({ id, userId }, { event }) =>
      userId !== undefined ? null : change('device.test', null, `${id} by ${event.public_id}`),
  },
  stageImport: { isStep: true, audit: null },
  commitImport: {
    invalidates: ['remains'],
    audit: ({ workspace, email }, { devices }) =>
      change('device.import', workspace, `${devices} of ${canonicalEmail(email)}`),
  },
  registerImported: { isStep: true, audit: null },
  dropImport: { audit: null },
  listEvents: { reads: true },
  resendEvent: {
    invalidates: ['queue', 'remains'],
    audit: (_, { event }) => change('event.resend', event.workspace, `${event.public_id}: what failed or expired`),
  },
  continueResend: { isStep: true, invalidates: ['queue'], audit: null },
  repostEvent: {
    invalidates: ['queue'],
    audit: ({ publicId }, { event }) =>
      change('event.resend', event.workspace, `${publicId} to all, as ${event.public_id}`),
  },
  cancelEvent: {
    invalidates: ['queue'],
    audit: (_, { event, isNew, waiting }) =>
      isNew ? change('event.cancel', event.workspace, `${event.public_id}: ${pushes(waiting)}`) : null,
  },
  continueCancel: { isStep: true, audit: null },
  showEvent: { reads: true },
  stats: { reads: true, offThread: true },

  findUser: { reads: true, internal: true },
  openSession: { internal: true },
  redeemPairingCode: { internal: true },
  findSession: { reads: true, internal: true },
  touchSession: { internal: true },
  closeSession: { internal: true },
  listSessions: { reads: true },
  closeSessions: { audit: (_, { email, closed }) => change('member.sign-out', null, `${email}: ${sessions(closed)}`) },
  changePassword: { internal: true, audit: (_, { email }) => change('member.password', null, email) },
  setPassword: { audit: (_, { email }) => change('member.password', null, email) },

  registerDevice: { internal: true },
  listOwnDevices: { reads: true, internal: true },
  updateDevice: { internal: true },
  subscribe: { internal: true },
  unsubscribe: { internal: true },
  listChannelsFor: { reads: true, internal: true },
  listInbox: { reads: true, internal: true },
  readInboxEvent: { reads: true, internal: true },

  listAudit: { reads: true },
  recordBackup: { audit: ({ file }) => change('backup.make', null, file) },
};

export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[];

function change(action: string, workspace: string | null, object: string): Change {
  return { action, workspace, object };
}

function pushes(count: number): string {
  return `${count} ${count === 1 ? 'push' : 'pushes'}`;
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
