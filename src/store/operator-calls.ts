/** What operators ask of the store, by the command line tool; the dashboard's routes ask some of it as well. */
import type { Role, Route, Scope } from '../push.ts';
import type { DeviceCalls } from './device-calls.ts';
import type { OwnedDevice } from './people-calls.ts';
import type {
  ApiKey,
  Channel,
  DeliveryCounts,
  DeliveryLine,
  EventText,
  Member,
  Plan,
  RouteStanding,
  SetAside,
  ShownChannel,
  Workspace,
  WorkspaceWithUsage,
} from './records.ts';
import type { Refusal } from './refusal.ts';
import type { EventPage } from './serving-calls.ts';

/** name: [arguments, answer] */
export interface OperatorCalls extends DeviceCalls {
  /** Whether there is all that a watcher names. `workspaceId` null: it names no workspace. */
  findWatched: [Watched, { workspaceId: number | null } | Refusal];
  createWorkspace: [{ slug: string; name?: string; plan?: string }, Workspace | Refusal];
  listWorkspaces: [Record<string, never>, readonly Workspace[]];
  showWorkspace: [{ slug: string }, (Workspace & WorkspaceWithUsage) | Refusal];
  /** Its name for people; the slug stays. */
  renameWorkspace: [{ slug: string; name: string }, Workspace | Refusal];
  setWorkspaceStatus: [{ slug: string; status: Workspace['status'] }, Workspace | Refusal];
  setWorkspacePlan: [{ slug: string; plan: string }, Workspace | Refusal];
  /** It is gone for everybody at once, and nothing more is sent of it. What hangs on it goes in small steps. */
  deleteWorkspace: [{ slug: string }, Workspace | Refusal];
  setPlan: [{ name: string; monthlyEvents: number | null }, Plan | Refusal];
  listPlans: [Record<string, never>, readonly Plan[]];
  createChannel: [{ workspace: string; slug: string; name?: string }, Channel | Refusal];
  listChannels: [{ workspace: string }, readonly Channel[] | Refusal];
  showChannel: [{ workspace: string; slug: string }, ShownChannel | Refusal];
  /**
   * The devices that listen there, inactive ones too, each with its channels of this workspace. `after`: the `next` of
   * the page before.
   */
  listSubscribers: [
    { workspace: string; slug: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal,
  ];
  /**
   * What is absent stays. `newSlug`: from now on it is found under this one alone; its subscriptions, events and the
   * keys that are bound to it stay its own.
   */
  updateChannel: [
    { workspace: string; slug: string; newSlug?: string; name?: string; status?: Channel['status'] },
    Channel | Refusal,
  ];
  /** As a workspace's deletion. Answers what it was. */
  deleteChannel: [{ workspace: string; slug: string }, Channel | Refusal];
  /** `secretHash` hex; the secret itself never comes here. */
  issueKey: [IssueKeyArgs, ApiKey | Refusal];
  listKeys: [{ workspace: string }, readonly ApiKey[] | Refusal];
  /** Of all workspaces, one after the other. `after`: the `next` of the page before. */
  listAllKeys: [
    { limit: number; after?: string },
    { keys: readonly (ApiKey & { workspace: string })[]; next: string | null } | Refusal,
  ];
  /** With `workspace` only among its keys. */
  revokeKey: [{ id: string; workspace?: string }, ApiKey | Refusal];
  /**
   * A new key with the old one's name, scopes, channels and burst, which lives as long as `expires` says, else as long
   * from now as the old one was to live at its issue. The old one expires `graceMs` later at the latest. Refused while
   * an earlier successor works, unless asked `again`: then that one is `revoked`. With `workspace` only among its keys.
   */
  rotateKey: [RotateKeyArgs, { key: ApiKey; revoked: string | null } | Refusal];
  addMember: [{ workspace: string; email: string; name?: string; role: Role; password?: string }, Member | Refusal];
  listMembers: [{ workspace: string }, readonly Member[] | Refusal];
  /** A person's name is the same in all their workspaces. */
  renameUser: [{ email: string; name: string }, { email: string; name: string } | Refusal];
  /**
   * The last owner stays. `askedBy`: the user who asks, who needs a role for it; absent: an operator, who needs none.
   */
  setMemberRole: [{ workspace: string; email: string; role: Role; askedBy?: number }, Member | Refusal];
  /**
   * From now on the member's devices get nothing more of this workspace; their subscriptions, or they themselves, go in
   * small steps. `askedBy` as above.
   */
  removeMember: [{ workspace: string; email: string; askedBy?: number }, Member | Refusal];
  /** `codeHash` SHA-256 of the code, hex. Any earlier code of this user is void. */
  createPairingCode: [
    { email: string; codeHash: string; lifeMs: number },
    { email: string; expires_at: string } | Refusal,
  ];
  /** Who cannot be reached on each route, and nothing says yet whether for good. */
  listRoutes: [Record<string, never>, readonly RouteStanding[]];
  /** Nothing goes out on the route until it is resumed. One that is paused already stays so since then. */
  pauseRoute: [{ route: Route }, { route: Route; paused_at: string }];
  /** Ends an operator's pause. A running server tries any other paused route at once. */
  resumeRoute: [{ route: Route }, { route: Route; was_paused: boolean }];
  /** That a backup was made. It is in the audit log alone. */
  recordBackup: [{ file: string }, null];
  /** The newest first. `before`: the `next` of the page before. */
  listEvents: [{ workspace: string; limit: number; before?: string }, EventPage | Refusal];
  /**
   * Sends anew, under its own id, what of an event failed or expired, to the devices that may still have it; counts no
   * usage. This decides, and does a part; `continueResend` does the next one, until `done`, and so does the server's
   * housekeeping. `resent`: pushes so far.
   */
  resendEvent: [{ publicId: string }, (ResendProgress & { links: Links }) | Refusal];
  continueResend: [{ publicId: string }, ResendProgress | Refusal];
  /**
   * Posts the event once more: a new one, to all that are subscribed now, which counts as any other. `uuid`: the new
   * one's.
   */
  repostEvent: [
    { publicId: string; uuid: string },
    { event: EventText & { deliveries: DeliveryCounts }; links: Links } | Refusal,
  ];
  /**
   * Takes an event back: what of it is not sent yet never will be. `isNew`: this call decided that, while `waiting`
   * pushes were pending. It does a part; `continueCancel` does the next one, until `done`, and so does the sweep of the
   * queue. `withdrawn`: by this call. What is pending at the end is with a delivery thread, and ends as withdrawn where
   * it was not sent, too.
   */
  cancelEvent: [{ publicId: string }, (CancelProgress & { waiting: number; isNew: boolean }) | Refusal];
  continueCancel: [{ publicId: string }, CancelProgress | Refusal];
  showEvent: [
    { publicId: string; limit: number; after?: string },
    (
      | {
          event: EventText & {
            deliveries: DeliveryCounts;
            set_aside: readonly SetAside[];
            /** On which of them something of it waits. */
            waiting_routes: readonly Route[];
            cancelled_at: string | null;
            resent: { at: string; pushes: number } | null;
          };
          deliveries: readonly DeliveryLine[];
          next: string | null;
        }
      | Refusal
    ),
  ];
}

/** Whose outcomes somebody watches; what is absent does not matter. */
export interface Watched {
  /** Slugs. */
  readonly workspace?: string;
  readonly channel?: string;
  readonly route?: Route;
  /** Public id. */
  readonly event?: string;
}
export interface CancelProgress {
  readonly event: EventText & { readonly deliveries: DeliveryCounts };
  readonly withdrawn: number;
  readonly done: boolean;
}
export interface ResendProgress {
  readonly event: EventText & { readonly deliveries: DeliveryCounts };
  readonly resent: number;
  readonly done: boolean;
}
/**
 * Whether what is sent anew has the links of its event: it had none; they are lost; or a server that was not restarted
 * since has them.
 */
export type Links = 'none' | 'lost' | 'unknown';

export interface IssueKeyArgs {
  readonly workspace: string;
  readonly id: string;
  readonly secretHash: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** Slugs of the only channels that it may name; absent: any. */
  readonly channels?: readonly string[];
  readonly expires?: Expiry;
  readonly burstPerMinute?: number;
}
/** When a new key expires: at a time, or so long after it was made. */
export type Expiry = { readonly atMs: number } | { readonly afterMs: number };
export interface RotateKeyArgs {
  readonly id: string;
  readonly workspace?: string;
  readonly newId: string;
  readonly secretHash: string;
  readonly graceMs: number;
  readonly again?: boolean;
  readonly expires?: Expiry;
}
