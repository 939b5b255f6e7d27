/** The serving server's calls: keys and events. */
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import type { EventRecord, Level, PostedEvent, Route, Scope, Urgency, VapidKeys } from '../../push.ts';
import { call, change, type Topic } from '../call.ts';
import type { Usage } from '../records.ts';
import type { Refusal } from '../refusal.ts';

const SCHEDULED: readonly Topic[] = ['scheduled'];
const NOTHING: readonly Topic[] = [];

export const SERVING_CALLS = {
  /** `displaced`: what happened to the open database's files; null: they are in place. */
  ping: call<
    Record<string, never>,
    { readonly version: string; readonly schema: number; readonly displaced: string | null }
  >({ reads: true }),
  /** Commits a meaningless write, so rejects if nothing can be written. */
  proveWritable: call<Record<string, never>, null>({ internal: true }),
  findKey: call<{ id: string }, KeyRecord | null>({ reads: true, internal: true }),
  touchKey: call<{ id: string }, null>({ internal: true }),
  describeConnection: call<{ keyId: string }, ApiSchema<'ConnectionTest'> | null>({
    reads: true,
  }),
  /** Does not wake the relay: the server reports lanes of `routes` with work. */
  acceptEvent: call<AcceptArgs, AcceptAnswer>({
    internal: true,
    events: 'adds',
    invalidates: (answer) => (answer.kind === 'accepted' && answer.isScheduled ? SCHEDULED : NOTHING),
    audit: ({ workspaceId: id, channel }, answer) =>
      answer.kind === 'accepted' ? change('event.send', { id }, `${answer.event.public_id} to ${channel}`) : null,
  }),
  /** Returns what `acceptEvent` would. Stores and counts nothing. */
  checkEvent: call<Omit<AcceptArgs, 'uuid'>, CheckAnswer>({ reads: true, internal: true }),
  /**
   * Counts a use under each name, or none at all, for all of a store's processes. With a single process its own limits
   * suffice: answers are as if nothing had been used.
   */
  countUses: call<{ uses: readonly Use[] }, UsesCounted>({ reads: true, internal: true }),
  /** Takes back the uses that were counted at those times. */
  takeBackUses: call<{ names: readonly string[]; at: readonly number[] }, null>({ reads: true, internal: true }),
  /** Returns when a group's alerts ended, as noted in the last hours; empty: unknown. */
  endsOfAlerts: call<NamedGroup, Readonly<Record<string, number>>>({ reads: true, internal: true }),
  noteEndsOfAlerts: call<NamedGroup & { readonly ended: Readonly<Record<string, number>> }, null>({ internal: true }),
  readEvent: call<Reach & { publicId: string }, ApiSchema<'EventProgress'> | null>({
    reads: true,
  }),
  readUsage: call<{ workspaceId: number }, Usage>({ reads: true }),
  /**
   * Lists events, newest first, or with `after` oldest first, without test pushes. `before`, `after`: the previous
   * page's `next`; new arrivals move nothing. A page examines a bounded number of events.
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

  /** Returns the installation's Web Push key pair; null: not made yet. */
  findVapidKeys: call<Record<string, never>, VapidKeys | null>({ reads: true, internal: true }),
  /** The same, made by the first call. Waits for other changes. */
  vapidKeys: call<Record<string, never>, VapidKeys>({ internal: true }),

  /**
   * Returns the signed token that all senders of a key share, after `offered` has replaced `instead` (null: none).
   * Null: there is no token. A token that was stored first stays. The token is a secret, so no reader may ask for it.
   */
  shareToken: call<
    { name: string; offered: (Pick<SignedToken, 'token' | 'signedAtMs'> & { instead: string | null }) | null },
    SignedToken | null
  >({ isFollowUp: true, audit: null }),
  /** The provider accepted it. */
  tokenAccepted: call<{ name: string; token: string }, null>({ isFollowUp: true, audit: null }),

  /** Returns public ids by internal ids, for watchers of outcomes; removed devices have none. */
  publicDeviceIds: call<{ ids: readonly number[] }, Readonly<Record<number, string>>>({ reads: true, internal: true }),
  /** Returns the devices' owners, once per workspace. `ids`: internal. */
  deviceOwners: call<{ ids: readonly number[] }, readonly DeviceOwner[]>({ reads: true, internal: true }),
};

/** `signedAtMs`: by the signer's clock. `ageMs`: since it was stored. */
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

/** A use allowed `most` times in any window. `name`: kind and owner; not stored. */
interface Use {
  readonly name: string;
  readonly most: number;
  readonly windowMs: number;
}
/** Returns the name under which a key's requests count, for those that end earlier. */
export function requestsOf(keyId: string): string {
  return `requests of ${keyId}`;
}
/**
 * `resetAfterMs`: nothing was counted, and may be after so long; null: all was counted. `at`: when each use was; empty:
 * not here.
 */
export interface UsesCounted {
  readonly resetAfterMs: number | null;
  readonly at: readonly number[];
}

/** An integrator's reach: a workspace, or some of its channels. */
export interface Reach {
  readonly workspaceId: number;
  /** The asking key, if bound to channels; others do not exist for it. */
  readonly boundKeyId: string | null;
}

/** A group of alerts, named by its sender. */
export interface NamedGroup extends Reach {
  /** Slug. */
  readonly channel: string;
  readonly group: string;
}

/** `before` excludes `after`. */
interface EventFilter extends Pick<QueryOf<'listEvents'>, 'channel' | 'level' | 'eventType' | 'before' | 'after'> {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly limit: number;
}
/**
 * `q`: words that title and description must all hold, in any case. `scheduled`: only events not due yet; combines only
 * with `channel`, `level`, `eventType` and `before`.
 */
export interface SearchFilter extends EventFilter {
  readonly q?: string;
  readonly scheduled?: boolean;
}
/** Whether a page may examine many events that do not match. */
export function isSearch({ q, eventType }: SearchFilter): boolean {
  return q !== undefined || eventType !== undefined;
}

export type EventPage = ApiSchema<'EventsOfAWorkspace'>;

/** The progress of a page of events. */
export type PagePlace = Pick<EventPage, 'next' | 'up_to' | 'searched_to'>;

/** Data to check a key on the HTTP side. Only this record has the hash. */
export interface KeyRecord extends Reach {
  readonly id: string;
  /** Id of the first key of its rotations, or its own. */
  readonly origin: string;
  /** Slug, if bound to exactly one channel. */
  readonly onlyChannel: string | null;
  readonly workspaceStatus: 'active' | 'suspended';
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly burstPerMinute: number | null;
  /** Default level and urgency; null: the key has none. */
  readonly defaults: { readonly level?: Level; readonly delivery_urgency?: Urgency } | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A posted event without links and `data`, hidden from stores. */
export interface AcceptArgs extends Omit<PostedEvent, 'links'>, Reach {
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly hadLinks: boolean;
  /** Origin of the posting key; null: none. */
  readonly postedBy: string | null;
  /** Shows whether a repeated request has the same links; null: none. */
  readonly linksMark: string | null;
  /** The server's own event, which counts in no usage and is limited by no allowance. */
  readonly isOwn?: true;
  /** A due event accepted before: it is sent even if its channel is inactive. */
  readonly released?: FirstAcceptance;
  /**
   * The most requests of the key in any minute. Each process counts its own before. A store of several processes counts
   * those of all, unless this is absent.
   */
  readonly perMinute?: number;
}

/** A scheduled event's data from its acceptance. `announced`: the number of devices then. */
export interface FirstAcceptance {
  /** Stored form. */
  readonly idempotencyKey: string | null;
  readonly postedAtMs: number;
  readonly announced: number;
}

/** A key's remaining requests, if the store counted this one. `resetAfterMs`: until there are more. */
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
        readonly routes: readonly Route[];
        /** Not due yet. */
        readonly isScheduled?: true;
        /** Its key may not resolve the alert. */
        readonly leavesAlert?: true;
      }
    | NotAccepted
  );
export type CheckAnswer = Counted & ({ readonly kind: 'valid'; readonly targeted: number } | NotAccepted);

export type NotAccepted =
  /** All nodes together admitted too many of the key's requests. */
  | { readonly kind: 'rate_limited' }
  /** `isSame`: equals the event's first request, as far as known. */
  | { readonly kind: 'replayed'; readonly event: EventRecord; readonly isSame: boolean }
  | { readonly kind: 'unknown_channel' }
  /** The workspace has the most scheduled events (`MOST_HELD_BACK`). */
  | { readonly kind: 'too_many_scheduled' }
  /** `resetsAtMs`: first millisecond of the next month, wall clock. */
  | { readonly kind: 'allowance_exhausted'; readonly resetsAtMs: number };
