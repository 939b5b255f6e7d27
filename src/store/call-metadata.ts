import type { CallName } from './calls.ts';

/**
 * What a listener of the server can be told of: `keys`: what a key may do; `queue`: there may be something to send;
 * `remains`: there may be something to remove, or an import to go on with.
 */
export type Topic = 'keys' | 'queue' | 'remains';

export interface Effect {
  /** Never writes, so it is answered even while the disk is full. */
  readonly reads?: true;
  /** May take seconds over a large database: a running server answers it beside the store thread. */
  readonly isLong?: true;
  /** Promises nothing new, but carries out what was promised: it goes on also where nothing may be promised any more. */
  readonly carriesOut?: true;
  /** A part of something long, which waits for its turn: one goes with a group, and none while the log is too long. */
  readonly isStep?: true;
  readonly touches?: readonly Topic[];
  /** Only the server itself asks this, never the command line tool. */
  readonly internal?: true;
}

/** The one list of all calls. */
const CALLS = {
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
  resumeQueue: { internal: true, carriesOut: true },
  expireOverdue: { internal: true, carriesOut: true },
  pruneStep: { internal: true, isStep: true },
  queueDepth: { reads: true, isLong: true },
  queueAge: { reads: true },
  findWatched: { reads: true, internal: true },

  createWorkspace: {},
  listWorkspaces: { reads: true },
  showWorkspace: { reads: true },
  renameWorkspace: {},
  setWorkspaceStatus: { touches: ['keys', 'queue'] },
  setWorkspacePlan: {},
  deleteWorkspace: { touches: ['keys', 'queue', 'remains'] },
  setPlan: {},
  listPlans: { reads: true },
  createChannel: {},
  listChannels: { reads: true },
  showChannel: { reads: true },
  listSubscribers: { reads: true },
  updateChannel: {},
  deleteChannel: { touches: ['queue', 'remains'] },
  issueKey: { touches: ['keys'] },
  listAllKeys: { reads: true },
  listKeys: { reads: true },
  revokeKey: { touches: ['keys'] },
  rotateKey: { touches: ['keys'] },
  addMember: {},
  listMembers: { reads: true },
  renameUser: {},
  setMemberRole: {},
  removeMember: { touches: ['queue', 'remains'] },
  createPairingCode: {},
  addDevice: {},
  listDevices: { reads: true },
  // It tells secrets, so it is written to the audit log as a change is.
  exportDevices: {},
  listRoutes: { reads: true, isLong: true },
  pauseRoute: {},
  resumeRoute: {},
  pruneDevices: { isStep: true },
  removeDevice: {},
  subscribeDevice: {},
  unsubscribeDevice: {},
  moveDevice: {},
  testDevice: { touches: ['queue'] },
  stageImport: { isStep: true },
  commitImport: { touches: ['remains'] },
  registerImported: { isStep: true },
  dropImport: {},
  listEvents: { reads: true },
  resendEvent: { touches: ['queue', 'remains'] },
  continueResend: { isStep: true, touches: ['queue'] },
  repostEvent: { touches: ['queue'] },
  cancelEvent: { touches: ['queue'] },
  continueCancel: { isStep: true },
  showEvent: { reads: true },
  stats: { reads: true, isLong: true },

  findUser: { reads: true, internal: true },
  openSession: { internal: true },
  redeemPairingCode: { internal: true },
  findSession: { reads: true, internal: true },
  touchSession: { internal: true },
  closeSession: { internal: true },
  listSessions: { reads: true },
  closeSessions: {},
  changePassword: { internal: true },
  setPassword: {},

  registerDevice: { internal: true },
  listOwnDevices: { reads: true, internal: true },
  updateDevice: { internal: true },
  subscribe: { internal: true },
  unsubscribe: { internal: true },
  listChannelsFor: { reads: true, internal: true },
  listInbox: { reads: true, internal: true },
  readInboxEvent: { reads: true, internal: true },

  listAudit: { reads: true },
  recordBackup: {},
} as const satisfies { readonly [N in CallName]: Effect };

/** What each call does beyond its answer. */
export const EFFECTS: { readonly [N in CallName]: Effect } = CALLS;

/** The calls by which operators and dashboards change something. */
export type ChangingCall = {
  [N in CallName]: (typeof CALLS)[N] extends { reads: true } | { internal: true } ? never : N;
}[CallName];

export const CALL_NAMES = Object.keys(EFFECTS) as readonly CallName[];
