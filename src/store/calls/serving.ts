/** Calls of the serving server: to judge keys, and to accept events. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import type { EventRecord, Level, PostedEvent, Route, Scope, Urgency, VapidKeys } from '../../push.ts';
import { call, change, type Topic } from '../call.ts';
import type { Usage } from '../records.ts';
import type { Refusal } from '../refusal.ts';

const SCHEDULED: readonly Topic[] = ['scheduled'];
const NOTHING: readonly Topic[] = [];

export const SERVING_CALLS = {
  /** `displaced`: what has become of the open database's files, in words; null: they are where they were. */
  ping: call<
    Record<string, never>,
    { readonly version: string; readonly schema: number; readonly displaced: string | null }
  >({ reads: true }),
  /** Writes and commits something of no meaning, so rejects where nothing can be written. */
  proveWritable: call<Record<string, never>, null>({ internal: true }),
  findKey: call<{ id: string }, KeyRecord | null>({ reads: true, internal: true }),
  touchKey: call<{ id: string }, null>({ internal: true }),
  describeConnection: call<{ keyId: string }, ApiSchema<'ConnectionTest'> | null>({
    reads: true,
  }),
  /** It does not wake the relay: the server reports to it which lanes of the `routes` have more to do. */
  acceptEvent: call<AcceptArgs, AcceptAnswer>({
    internal: true,
    events: 'adds',
    invalidates: (answer) => (answer.kind === 'accepted' && answer.isScheduled ? SCHEDULED : NOTHING),
    audit: ({ workspaceId: id, channel }, answer) =>
      answer.kind === 'accepted' ? change('event.send', { id }, `${answer.event.public_id} to ${channel}`) : null,
  }),
  /** Returns the answer that `acceptEvent` would give. Stores and counts nothing. */
  checkEvent: call<Omit<AcceptArgs, 'uuid'>, CheckAnswer>({ reads: true, internal: true }),
  /**
   * Counts one use under each of the names, or none at all, for all processes of the store together. Where there is one
   * alone, its own limits say everything, and every answer is as if nothing had been used.
   */
  countUses: call<{ uses: readonly Use[] }, UsesCounted>({ reads: true, internal: true }),
  /** Takes back the uses that were counted at those times. */
  takeBackUses: call<{ names: readonly string[]; at: readonly number[] }, null>({ reads: true, internal: true }),
  /** When alerts of a group ended, as far as it was noted in the last hours; empty: nothing is known. */
  endsOfAlerts: call<NamedGroup, Readonly<Record<string, number>>>({ reads: true, internal: true }),
  noteEndsOfAlerts: call<NamedGroup & { readonly ended: Readonly<Record<string, number>> }, null>({ internal: true }),
  readEvent: call<Reach & { publicId: string }, ApiSchema<'EventProgress'> | null>({
    reads: true,
  }),
  readUsage: call<{ workspaceId: number }, Usage>({ reads: true }),
  /**
   * The newest first, or with `after` the oldest; test pushes left out. `before` and `after`: the `next` of the page
   * before; what arrives meanwhile moves nothing. A page looks at a bounded number of events, as a search does.
   */
  listReachedEvents: call<Reach & EventFilter, EventPage | Refusal>({
    reads: true,
    events: 'lists',
    internal: true,
    offThread: isSearch,
  }),
  listReachedChannels: call<Reach, ApiSchema<'ChannelsOfAKey'>['channels']>({
    reads: true,
    internal: true,
  }),

  /** The installation's own key pair for Web Push, made by the first call. */
  vapidKeys: call<Record<string, never>, VapidKeys>({ internal: true }),

  /**
   * Returns the signed token that all senders of a key share, after `offered` has replaced `instead` (null: none);
   * null: there is no token. A token that was faster stays. The token is a secret, so no reader may ask for it.
   */
  shareToken: call<
    { name: string; offered: (Pick<SignedToken, 'token' | 'signedAtMs'> & { instead: string | null }) | null },
    SignedToken | null
  >({ isFollowUp: true, audit: null }),
  /** The provider took it. */
  tokenAccepted: call<{ name: string; token: string }, null>({ isFollowUp: true, audit: null }),

  /** Public ids by the store's own, for those who watch outcomes; a device that was removed has none. */
  publicDeviceIds: call<{ ids: readonly number[] }, Readonly<Record<number, string>>>({ reads: true, internal: true }),
  /** Whose these devices are, once for each workspace of that person. `ids`: the store's own. */
  deviceOwners: call<{ ids: readonly number[] }, readonly DeviceOwner[]>({ reads: true, internal: true }),
};

/** `signedAtMs`: by its signer's clock. `ageMs`: how long it is stored. */
export interface SignedToken {
  readonly token: string;
  readonly signedAtMs: number;
  readonly ageMs: number;
  readonly isAccepted: boolean;
}

export interface DeviceOwner {
  readonly email: string;
  readonly workspaceId: number;
}

/** A use of something that is allowed `most` times in any time window. `name`: its kind and owner; not stored. */
export interface Use {
  readonly name: string;
  readonly most: number;
  readonly windowMs: number;
}
/** The name of what `acceptEvent` and `checkEvent` count of a key, for a request that ends before. */
export function requestsOf(keyId: string): string {
  return `requests of ${keyId}`;
}
/** `resetAfterMs`: nothing was counted, and may be after so long; null: all was. `at`: when, of each; empty: not here. */
export interface UsesCounted {
  readonly resetAfterMs: number | null;
  readonly at: readonly number[];
}

/** The reach of an integrator: a workspace, or only some of its channels. */
export interface Reach {
  readonly workspaceId: number;
  /** Id of the asking key if it is bound to channels. Other channels do not exist for it. */
  readonly boundKeyId: string | null;
}

/** A group of alerts, as its sender names it. */
export interface NamedGroup extends Reach {
  /** Slug. */
  readonly channel: string;
  readonly group: string;
}

/** `before` and `after` are not there together. */
export interface EventFilter
  extends Pick<QueryOf<'listEvents'>, 'channel' | 'level' | 'eventType' | 'before' | 'after'> {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly limit: number;
}
/**
 * `q`: words that an event's title and description must hold all of, whatever their case. `scheduled`: only what waits
 * for its time; of the other filters it goes with `channel`, `level`, `eventType` and `before`.
 */
export interface SearchFilter extends EventFilter {
  readonly q?: string;
  readonly scheduled?: boolean;
}
/** Whether a page may have to look at many events that it does not hold. */
export function isSearch({ q, eventType }: SearchFilter): boolean {
  return q !== undefined || eventType !== undefined;
}

export type EventPage = ApiSchema<'EventsOfAWorkspace'>;

/** How far a page of events came. */
export type PagePlace = Pick<EventPage, 'next' | 'up_to' | 'searched_to'>;

/** The data by which the HTTP side judges a key. Only this record carries the hash. */
export interface KeyRecord extends Reach {
  readonly id: string;
  /** Id of the first key of its rotations, or its own. */
  readonly origin: string;
  /** Slug of its channel, if it is bound to exactly one. */
  readonly onlyChannel: string | null;
  readonly workspaceStatus: 'active' | 'suspended';
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly burstPerMinute: number | null;
  /** Level and urgency of events that name none; null: the key has no defaults. */
  readonly defaults: { readonly level?: Level; readonly delivery_urgency?: Urgency } | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A posted event without its links and `data`, which no store may see. */
export interface AcceptArgs extends Omit<PostedEvent, 'links'>, Reach {
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly hadLinks: boolean;
  /** Origin of the key that posts it; null: no key does. */
  readonly postedBy: string | null;
  /** A mark that shows whether a repeated request has the same links; null: none. */
  readonly linksMark: string | null;
  /** An event of the server's own: it counts in no usage, and no allowance limits it. */
  readonly isOwn?: true;
  /** An event that was accepted before, whose time has come: it is sent, also where its channel is inactive by now. */
  readonly released?: FirstAcceptance;
  /**
   * How many requests of its key there may be in any minute. Each process counts its own before: a store of several
   * counts those of all, unless this is absent.
   */
  readonly perMinute?: number;
}

/** The data that a scheduled event keeps of its acceptance. `announced`: the number of devices then. */
export interface FirstAcceptance {
  /** The key in its stored form. */
  readonly idempotencyKey: string | null;
  readonly postedAtMs: number;
  readonly announced: number;
}

/**
 * The remaining requests of a key, if the store has counted this request. `resetAfterMs`: the time until there are
 * more.
 */
export interface RequestsLeft {
  readonly remaining: number;
  readonly resetAfterMs: number;
}
interface Counted {
  readonly requests?: RequestsLeft;
}

export type AcceptAnswer = Counted &
  (
    | {
        readonly kind: 'accepted';
        readonly event: EventRecord;
        readonly eventId: number;
        /** Those with something to do. */
        readonly routes: readonly Route[];
        /** Its time is to come. */
        readonly isScheduled?: true;
        /** It would resolve an alert that its key may not resolve. */
        readonly leavesAlert?: true;
      }
    | NotAccepted
  );
export type CheckAnswer = Counted & ({ readonly kind: 'valid'; readonly targeted: number } | NotAccepted);

export type NotAccepted =
  /** Nodes have let in more requests of its key together than any minute may have. */
  | { readonly kind: 'rate_limited' }
  /** `isSame`: the request is the one that the event was first sent with, as far as is known. */
  | { readonly kind: 'replayed'; readonly event: EventRecord; readonly isSame: boolean }
  | { readonly kind: 'unknown_channel' }
  /** The workspace already has the most scheduled events (`MOST_HELD_BACK`). */
  | { readonly kind: 'too_many_scheduled' }
  /** `resetsAtMs`: wall clock, first millisecond of the next month. */
  | { readonly kind: 'allowance_exhausted'; readonly resetsAtMs: number };
