/**
 * The vocabulary of pushctl. This module imports nothing; every other one may import it.
 *
 * Glossary
 * - Workspace, Channel, ApiKey, Member, Session, Device: as in the specification.
 * - PushEvent: a posted event in the form that a provider needs to build a payload.
 * - Subscription: one device on one channel; carries a number that only grows.
 * - Route: a path to devices that fails as a whole (APNs production, APNs sandbox, FCM, each push service of browsers).
 * - FanOut: an event's way through its subscriptions on one route: a cursor, not a row per device.
 * - Batch: up to a hundred targets on one route and lane, of as many events as it takes; the unit of work of a delivery
 *   thread.
 * - Delivery: one event for one device. A row exists once it was tried, never before.
 * - Outcome: the meaning of a provider's answer, as plain data. Some concern the device, some the whole route.
 * - Verdict: the consequence of an outcome for its delivery: a final state, or a retry at a time.
 * - Quarantined: a device that its provider rejects for a reason that may be our mistake (wrong environment, topic or
 *   project). Its pushes are held in their own lane, until there is evidence whether the device is dead. See
 *   delivery/quarantine.ts.
 * - Revocation: claimed pushes that may no longer be sent: the device lost its right or has another address, the workspace
 *   is suspended, or the event was cancelled. If a revoked push is not sent yet, it is cancelled in flight: its outcome is
 *   `recalled`, and the queue decides again.
 * - Settle: to record the verdicts of a batch, or of a part of it, in one transaction.
 * - Lane: urgent (`time_sensitive`), standard, or quarantine (held pushes of quarantined devices, whatever their urgency).
 * - Accepted: the provider accepted the push. Never say "delivered".
 *
 * Time is an argument and carries its unit in its name. `…AtMs` is Unix time in milliseconds. Values called `steadyMs`
 * come from a clock that cannot jump (see clock.ts): queue, backoff and limits use only those.
 */

export const LEVELS = ['info', 'success', 'warning', 'error'] as const;
export type Level = (typeof LEVELS)[number];

export const URGENCIES = ['standard', 'time_sensitive'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const SCOPES = ['events:write', 'events:read', 'alerts:write', 'heartbeats:write', 'heartbeats:ping'] as const;
export type Scope = (typeof SCOPES)[number];

export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Every provider: the platform whose devices it alone reaches, and its routes. What else there is to know of one is
 * found by its name in the tables of contract/addresses.ts, providers/table.ts and sandbox/table.ts: without an entry
 * there it does not compile.
 */
export const PROVIDERS = {
  apns: { platform: 'ios', routes: ['apns_production', 'apns_sandbox'] },
  fcm: { platform: 'android', routes: ['fcm'] },
  webpush: {
    platform: 'web',
    routes: ['webpush_google', 'webpush_mozilla', 'webpush_apple', 'webpush_microsoft', 'webpush_other'],
  },
} as const;
export type ProviderName = keyof typeof PROVIDERS;
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as readonly ProviderName[];

export type Platform = (typeof PROVIDERS)[ProviderName]['platform'];
export const PLATFORMS: readonly Platform[] = PROVIDER_NAMES.map((name) => PROVIDERS[name].platform);

export type Route = (typeof PROVIDERS)[ProviderName]['routes'][number];
export const ROUTES: readonly Route[] = PROVIDER_NAMES.flatMap((name) => PROVIDERS[name].routes);

/** Which APNs an iOS device's token belongs to. Other devices have none. */
export type Environment = 'production' | 'sandbox';
/** How an Android device is addressed: FCM registration token, or Firebase installation ID. Others: always `token`. */
export type TokenKind = 'token' | 'installation_id';

export const LANES = ['urgent', 'standard', 'quarantine'] as const;
export type Lane = (typeof LANES)[number];

export type DeliveryState = 'pending' | 'accepted' | 'failed' | 'unregistered' | 'expired' | 'withdrawn';

/** Links, and the sender's own `data` for the app: in memory only, never written to a disk. */
export interface Links {
  readonly url?: string;
  readonly imageUrl?: string;
  /** Pairs of strings as a JSON object, sorted by name. As text, its memory is known. */
  readonly data?: string;
}

/** The body of POST /v1/events after validation, with the defaults filled in and the links apart. */
export interface PostedEvent {
  readonly channel: string;
  readonly title: string;
  readonly description: string | null;
  readonly level: Level;
  readonly urgency: Urgency;
  readonly eventType: string | null;
  /** Names what the event is about: a later one with the same key in its channel takes its place on the device. */
  readonly collapseKey: string | null;
  /** After so many seconds it is not sent any more. Null: the operator's time to live counts. */
  readonly expiresInS: number | null;
  /** When what it reports happened, as its sender says. It informs people: nothing goes by it. */
  readonly occurredAtMs: number | null;
  /** 1: a sender's format gave one text only, which is the title. Pushes show it below the channel's name. */
  readonly oneText: 1 | null;
  /** When it is to be sent, by the wall clock; null, or a time that has passed: at once. */
  readonly sendAtMs: number | null;
  readonly idempotencyKey: string | null;
  readonly links: Links;
}

/** The record of the specification, in the shape in which the API shows it. */
export interface EventRecord {
  readonly public_id: string;
  readonly event_uuid: string;
  readonly status: 'queued';
  readonly level: Level;
  readonly event_type: string | null;
  readonly target_device_count: number;
  /** ISO 8601, UTC, milliseconds, offset `+00:00`. */
  readonly received_at: string;
}

/**
 * The parts of an event that a provider needs, the same for all devices. `quiet`: without a sound. `alert`: the alert
 * of the event. `receipt`: devices are asked to report that they have shown it.
 */
export interface PushEvent extends Omit<PostedEvent, 'expiresInS' | 'sendAtMs' | 'idempotencyKey' | 'oneText'> {
  /** The channel's name, if it is shown in place of a title. */
  readonly headline?: string;
  readonly publicId: string;
  readonly workspace: string;
  readonly receivedAtMs: number;
  readonly quiet?: true;
  readonly alert?: AlertPush;
  readonly receipt?: true;
}

const ALERT_STATES = ['open', 'acknowledged', 'resolved', 'expired'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** The parts of an alert that pushes carry. */
export interface AlertPush {
  /** Public id of the event that opened it. */
  readonly id: string;
  readonly state: AlertState;
  /** 0: an event as it was posted. */
  readonly reminder: number;
  /** The name of who has the acknowledged alert that the event joins. */
  readonly by?: string;
  /** In a bundle: the number of open alerts of the channel. */
  readonly open?: number;
  /** A reminder or notice: the event that it shows. */
  readonly shows?: { readonly publicId: string; readonly receivedAtMs: number };
  /** The channel that opened the alert. Pushes to other channels replace its push on the device too. */
  readonly channel?: string;
}

/** The address of a device at its provider. */
export interface Address {
  /** A device token, or the endpoint of a push service. Unique on its platform. */
  readonly token: string;
  readonly tokenKind: TokenKind;
  /** Further parts that a push needs, such as a browser's keys, as a JSON object; null: none. */
  readonly keys: string | null;
}

/**
 * A device as an address. `event`: the place of its event in the batch. `attempts` counts the tries made before this
 * one. `wasAccepted`: its provider has taken a push for this address before. `isQuarantined`: it has refused one since.
 */
export interface Target extends Address {
  readonly event: number;
  readonly deviceId: number;
  readonly attempts: number;
  readonly wasAccepted: boolean;
  readonly isQuarantined: boolean;
}

/**
 * `ttlMs`: what is left of the event's life, and so how long the provider may keep its pushes for offline devices. What
 * has not been sent by then is not sent.
 */
export interface BatchEvent {
  readonly event: PushEvent;
  readonly ttlMs: number;
}

/**
 * `revoked`: one byte for each target, in their order, in memory that all threads share; not 0 once the push was
 * revoked. `leaseEnd`: until when any of it may be sent (lease.ts), in such memory, too; absent: for good.
 */
export interface Batch {
  readonly id: string;
  readonly route: Route;
  readonly lane: Lane;
  readonly events: readonly BatchEvent[];
  readonly targets: readonly Target[];
  readonly revoked: Uint8Array;
  readonly leaseEnd?: BigInt64Array;
}

/** The meaning of the answer to a send for its device. */
export type DeviceOutcome =
  /** `keptS`: for how many seconds its service keeps the push, if that is less than was asked. */
  | { readonly kind: 'accepted'; readonly keptS?: number }
  /**
   * The token is dead. `quarantine`: may be a mistake of ours (wrong environment or project), so the quarantine decides.
   */
  | { readonly kind: 'unregistered'; readonly reason: string; readonly atMs?: number; readonly quarantine?: boolean }
  /**
   * The push is held, its device quarantined: by the quarantine while there is no evidence, or by the client, for its
   * `retryAfterS` at least, since its app is not set up. `isSent`: whether it was tried.
   */
  | { readonly kind: 'held'; readonly reason: string; readonly isSent: boolean; readonly retryAfterS?: number }
  /** Final for this push; the token is kept. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Try this push again. `busy`: the provider asked to slow down; `fault`: the connection failed. */
  | {
      readonly kind: 'deferred';
      readonly reason: string;
      readonly pace: 'fault' | 'busy';
      readonly retryAfterS?: number;
    }
  /** Not sent, as the push was revoked before. */
  | { readonly kind: 'recalled'; readonly reason: string };

/**
 * The meaning of the answer to a send for its whole route. The route pauses, and the push keeps its attempts. `words`:
 * the system's message for a connection that was never made.
 */
export type RouteOutcome =
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterS?: number; readonly words?: string }
  | { readonly kind: 'unauthorized'; readonly reason: string };

export type Outcome = DeviceOutcome | RouteOutcome;

/**
 * The answer of a delivery thread for one target. `index`: its place among the batch's targets, as a device may get
 * several of its events. `fitted`: the payload had to be shortened.
 */
export interface Sent {
  readonly index: number;
  readonly deviceId: number;
  readonly outcome: Outcome;
  readonly fitted: boolean;
}

/**
 * The key pair by which push services know who sends, and to which browsers bind their subscriptions: one for ever.
 * Both in base64url, the public one as an uncompressed point of 65 bytes. https://www.rfc-editor.org/rfc/rfc8292
 */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Makes the compiler prove that a union was handled in full. */
export function unreachable(value: never): never {
  throw new Error(`not reachable: ${JSON.stringify(value)}`);
}

export function laneOf(urgency: Urgency): Lane {
  return urgency === 'time_sensitive' ? 'urgent' : 'standard';
}

const PROVIDER_OF = Object.fromEntries(
  PROVIDER_NAMES.flatMap((name) => PROVIDERS[name].routes.map((route) => [route, name])),
) as Readonly<Record<Route, ProviderName>>;

export function providerOf(route: Route): ProviderName {
  return PROVIDER_OF[route];
}

export function platformOf(route: Route): Platform {
  return PROVIDERS[PROVIDER_OF[route]].platform;
}
