/**
 * One protocol, three carriers. `StoreCalls` is everything that can be asked of the store: by the server's threads, by the
 * command line tool over the socket, and by the same tool in its own process. Arguments and answers are JSON values.
 *
 * Expected failures are answers (`Refusal`, or a `kind` of their own), never exceptions.
 */
import type {
  DeliveryState,
  Environment,
  EventRecord,
  Lane,
  Level,
  Platform,
  Role,
  Route,
  Scope,
  TokenKind,
  Urgency,
} from '../push.ts';
import type { OwnedDevice, PeopleCalls } from './people-calls.ts';
import type { StatsCalls } from './stats-calls.ts';

/**
 * Why a call was not carried out. `message` says to anybody what was wrong and where, `hint` to an operator what can be done
 * about it on the command line.
 */
export interface Refusal {
  readonly refused: 'not_found' | 'forbidden' | 'conflict' | 'invalid' | 'busy';
  readonly message: string;
  readonly hint?: string;
  /** Which field of the request is invalid, in the names of the API. */
  readonly field?: string;
}

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'refused' in answer;
}

/** Rows as the command line and the API show them. Times are ISO 8601 with an offset, or null. */
export interface Workspace {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly plan: string;
  readonly created_at: string;
}
export interface Plan {
  readonly name: string;
  /** null: unlimited. */
  readonly monthly_event_allowance: number | null;
}
export interface Channel {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly device_count: number;
}
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly status: 'active' | 'revoked' | 'expired';
  readonly burst_per_minute: number | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}
export interface Member {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}
export interface Device {
  readonly id: string;
  readonly platform: Platform;
  readonly environment: Environment | null;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly registered_at: string;
  /** Slugs of the channels of the workspace that was asked about. */
  readonly channels: readonly string[];
}
export interface DeliveryCounts extends Readonly<Record<DeliveryState, number>> {
  readonly fitted: number;
  readonly first_accepted_at: string | null;
  readonly last_accepted_at: string | null;
}
/** `device_id` is the device's public id, or null where the device is gone. `attempts` lists every try, oldest first. */
export interface DeliveryLine {
  readonly device_id: string | null;
  readonly platform: Platform;
  readonly state: DeliveryState;
  readonly attempts: readonly { readonly at: string; readonly state: string; readonly reason: string | null }[];
  readonly reason: string | null;
  readonly at: string;
}
export interface EventText extends EventRecord {
  readonly workspace: string;
  readonly channel: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly delivery_urgency: Urgency;
}

/** What the HTTP side must know to judge a key. Only this carries the hash. */
export interface KeyRecord {
  readonly id: string;
  readonly workspaceId: number;
  readonly workspaceStatus: 'active' | 'suspended';
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly burstPerMinute: number | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export interface AcceptArgs {
  readonly workspaceId: number;
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly channel: string;
  readonly title: string;
  readonly description: string | null;
  readonly level: Level;
  readonly urgency: Urgency;
  readonly eventType: string | null;
  readonly idempotencyKey: string | null;
  readonly hadLinks: boolean;
  readonly wallMs: number;
  readonly steadyMs: number;
}
export type AcceptAnswer =
  /** `routes` are those with something to do. */
  | {
      readonly kind: 'accepted';
      readonly event: EventRecord;
      readonly eventId: number;
      readonly routes: readonly Route[];
    }
  | { readonly kind: 'replayed'; readonly event: EventRecord }
  | { readonly kind: 'unknown_channel' }
  /** `resetsAtMs`: wall clock, first millisecond of the next month. */
  | { readonly kind: 'allowance_exhausted'; readonly resetsAtMs: number };

/** A page of the queue, handed out for sending. It stays claimed until it is settled, or the process ends. */
export interface Claim {
  readonly batchId: number;
  readonly route: Route;
  readonly lane: Lane;
  readonly event: {
    readonly publicId: string;
    readonly workspace: string;
    readonly channel: string;
    readonly title: string;
    readonly description: string | null;
    readonly level: Level;
    readonly urgency: Urgency;
    readonly eventType: string | null;
    readonly receivedAtMs: number;
  };
  readonly hadLinks: boolean;
  readonly expiresAtSteadyMs: number;
  readonly targets: readonly {
    readonly deviceId: number;
    readonly token: string;
    readonly tokenKind: TokenKind;
    readonly attempts: number;
  }[];
}

export type Verdict =
  | { readonly state: 'accepted' }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'expired'; readonly reason: string }
  /** `token` and `atMs` guard the device: it is deactivated only if it still has this token and did not register since. */
  | { readonly state: 'unregistered'; readonly reason: string; readonly token: string; readonly atMs: number | null }
  /** `spent`: whether this try counts as one. A push that a paused route sent back was not spent. */
  | { readonly state: 'pending'; readonly reason: string; readonly dueAtSteadyMs: number; readonly spent: boolean };

export interface SettleArgs {
  readonly batchId: number;
  readonly verdicts: readonly { readonly deviceId: number; readonly verdict: Verdict; readonly fitted: boolean }[];
  /** Whether the event had links that are no longer there. */
  readonly linksLost: boolean;
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** name: [arguments, answer] */
export interface StoreCalls extends PeopleCalls, StatsCalls {
  // The server itself
  ping: [Record<string, never>, { readonly version: string; readonly schema: number }];
  /** Writes and commits something of no meaning, so rejects where nothing can be written. */
  proveWritable: [Record<string, never>, null];
  findKey: [{ id: string }, KeyRecord | null];
  touchKey: [{ id: string; wallMs: number }, null];
  describeConnection: [{ keyId: string; wallMs: number }, { workspace: WorkspaceWithUsage; key: ConnectionKey } | null];
  acceptEvent: [AcceptArgs, AcceptAnswer];
  readEvent: [{ workspaceId: number; publicId: string }, { event: EventRecord; deliveries: DeliveryCounts } | null];
  readUsage: [{ workspaceId: number; wallMs: number }, Usage];

  // The relay
  /** At most `limit` batches of at most `pageSize` targets, in the order in which they should go out. */
  claimBatches: [
    { route: Route; lane: Lane; limit: number; pageSize: number; steadyMs: number; wallMs: number },
    ClaimAnswer,
  ];
  /** `finished`: public ids of events that have nothing left to send on any route; their links may go. */
  settleBatch: [SettleArgs, { finished: readonly string[] }];
  /** Gives a claimed batch back untouched: nothing of it was sent. */
  releaseBatch: [{ batchId: number }, null];
  /**
   * For the start, until there is no `more`: whatever clock the last run had, nothing waits for longer than the longest wait
   * from now on, nor lives longer than a new event would.
   */
  resumeQueue: [{ steadyMs: number; longestWaitMs: number }, { more: boolean }];
  /** Ends what outlived its event's time to live; call again while `more`. */
  expireOverdue: [{ steadyMs: number; wallMs: number }, { finished: readonly string[]; more: boolean }];
  /** Removes some of what is older than it should be kept; call again while not `done`. */
  pruneStep: [{ wallMs: number }, PruneAnswer];
  queueDepth: [Record<string, never>, readonly QueueDepth[]];

  /** Lanes without anything to send are left out. */
  queueAge: [{ steadyMs: number }, readonly QueueAge[]];

  // Operators
  findWorkspace: [{ slug: string }, { id: number } | Refusal];
  createWorkspace: [{ slug: string; name?: string; plan?: string; wallMs: number }, Workspace | Refusal];
  listWorkspaces: [Record<string, never>, readonly Workspace[]];
  showWorkspace: [{ slug: string; wallMs: number }, (Workspace & WorkspaceWithUsage) | Refusal];
  setWorkspaceStatus: [{ slug: string; status: Workspace['status'] }, Workspace | Refusal];
  setWorkspacePlan: [{ slug: string; plan: string }, Workspace | Refusal];
  /** One small step of a deletion; call again until `done`. */
  deleteWorkspaceStep: [{ slug: string }, { done: boolean } | Refusal];
  setPlan: [{ name: string; monthlyEvents: number | null }, Plan | Refusal];
  listPlans: [Record<string, never>, readonly Plan[]];
  createChannel: [{ workspace: string; slug: string; name?: string; wallMs: number }, Channel | Refusal];
  listChannels: [{ workspace: string }, readonly Channel[] | Refusal];
  /** What is absent stays. */
  updateChannel: [{ workspace: string; slug: string; name?: string; status?: Channel['status'] }, Channel | Refusal];
  deleteChannelStep: [{ workspace: string; slug: string }, { done: boolean } | Refusal];
  /** `secretHash` hex; the secret itself never comes here. */
  issueKey: [IssueKeyArgs, ApiKey | Refusal];
  listKeys: [{ workspace: string; wallMs: number }, readonly ApiKey[] | Refusal];
  /** With `workspace` only among its keys. */
  revokeKey: [{ id: string; workspace?: string; wallMs: number }, ApiKey | Refusal];
  /**
   * A new key with the old one's name, scopes, burst and expiry; the old one expires at `wallMs + graceMs` at the latest.
   * With `workspace` only among its keys.
   */
  rotateKey: [
    { id: string; workspace?: string; newId: string; secretHash: string; graceMs: number; wallMs: number },
    ApiKey | Refusal,
  ];
  addMember: [
    { workspace: string; email: string; name?: string; role: Role; password?: string; wallMs: number },
    Member | Refusal,
  ];
  listMembers: [{ workspace: string }, readonly Member[] | Refusal];
  /** `askedBy`: the user who asks, and is held to the rules of roles; absent: an operator, who is not. */
  setMemberRole: [{ workspace: string; email: string; role: Role; askedBy?: number }, Member | Refusal];
  /** Ends the member's subscriptions to this workspace's channels in the same transaction. `askedBy` as above. */
  removeMember: [{ workspace: string; email: string; askedBy?: number }, Member | Refusal];
  /** `codeHash` SHA-256 of the code, hex. Any earlier code of this user is void. */
  createPairingCode: [{ email: string; codeHash: string; expiresAtMs: number }, { email: string } | Refusal];
  addDevice: [
    NewDevice & { workspace: string; email: string; wallMs: number },
    { device: Device; created: boolean } | Refusal,
  ];
  /** Of a workspace's members, one member after the other, or of one. `after`: the `next` of the page before. */
  listDevices: [
    { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal,
  ];
  /** With `userId` only among this person's devices. */
  removeDevice: [{ id: string; userId?: number }, Device | Refusal];
  /** Queues a test push to one device; counts no usage. With `userId` only to one of this person's. */
  testDevice: [
    { id: string; userId?: number; uuid: string; wallMs: number; steadyMs: number },
    { event: EventRecord } | Refusal,
  ];
  /** An import is staged in parts, then done in one transaction or not at all. `importId` is the caller's. */
  stageImport: [{ importId: string; devices: readonly NewDevice[] }, { staged: number }];
  commitImport: [
    { importId: string; workspace: string; email: string; wallMs: number },
    { imported: number; updated: number } | Refusal,
  ];
  listEvents: [
    { workspace: string; limit: number; before?: string },
    readonly (EventText & { deliveries: DeliveryCounts })[] | Refusal,
  ];
  showEvent: [
    { publicId: string; limit: number; after?: string },
    (
      | { event: EventText & { deliveries: DeliveryCounts }; deliveries: readonly DeliveryLine[]; next: string | null }
      | Refusal
    ),
  ];
}

export interface IssueKeyArgs {
  readonly workspace: string;
  readonly id: string;
  readonly secretHash: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs?: number;
  readonly burstPerMinute?: number;
  readonly wallMs: number;
}
export interface NewDevice {
  readonly platform: Platform;
  readonly environment?: Environment;
  readonly tokenKind?: TokenKind;
  readonly token: string;
  readonly name?: string;
  readonly appVersion?: string;
  /** Channel slugs. */
  readonly subscribe?: readonly string[];
}
export interface WorkspaceWithUsage {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly plan: string;
  readonly monthly_event_allowance: number | null;
  readonly events_this_month: number;
  readonly allowance_resets_at: string;
}
export interface ConnectionKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}
/** `months` has this month first, then the twelve before it. */
export interface Usage {
  readonly monthly_event_allowance: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly resets_at: string;
  readonly months: readonly { readonly month: string; readonly events: number }[];
}
export interface ClaimAnswer {
  readonly claims: readonly Claim[];
  /** When the next deferred push of this route and lane falls due; null: none waits, or the limit was reached before. */
  readonly nextDueSteadyMs: number | null;
  /** Public ids of events that ended here without a send (expired, or all their devices withdrawn). */
  readonly finished: readonly string[];
}
/** `isTooLarge`: the database is above its largest size, and nothing more of it may go. */
export interface PruneAnswer {
  readonly done: boolean;
  readonly isTooLarge: boolean;
}
export interface QueueDepth {
  readonly route: Route;
  readonly lane: Lane;
  /** Devices still to be reached by open fan-outs, an upper bound. */
  readonly waiting: number;
  readonly deferred: number;
}
/** Since when a lane has had something to send and did not. Unix time in ms. */
export interface QueueAge {
  readonly route: Route;
  readonly lane: Lane;
  readonly sinceMs: number;
}
export type CallName = keyof StoreCalls;
export type ArgsOf<N extends CallName> = StoreCalls[N][0];
export type AnswerOf<N extends CallName> = StoreCalls[N][1];

/** Who makes a change, when, and from where. `address` null: on the server itself. */
export interface Actor {
  readonly kind: 'operator' | 'user';
  /** An operator's account, a user's email. */
  readonly name: string;
  readonly address: string | null;
  readonly atMs: number;
}

/**
 * The asynchronous face of the store, whatever carries the calls: `await store.acceptEvent({…})`. A change that is made in
 * somebody's name is written to the audit log in the same transaction.
 */
export type StoreClient = {
  readonly [N in CallName]: (args: ArgsOf<N>, actor?: Actor) => Promise<AnswerOf<N>>;
} & {
  close(): Promise<void>;
};

/** The store is there but cannot write just now: full disk, read-only, I/O error. HTTP answers 503, and nothing was done. */
export class StoreUnavailable extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(`the store cannot write: ${reason}`);
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}
