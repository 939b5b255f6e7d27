/**
 * The vocabulary of pushctl. This module imports nothing; every other one may import it.
 *
 * Glossary
 * - Workspace, Channel, ApiKey, Member, Session, Device: as in the specification.
 * - PushEvent: a posted event, ready for providers to build payloads.
 * - Subscription: one device on one channel, with a number that only grows.
 * - Route: a path to devices that fails as a whole (APNs production, APNs sandbox, FCM, each push service of browsers).
 * - FanOut: an event's way through a route's subscriptions: a cursor, not a row per device.
 * - Batch: up to a hundred targets of any events on one route and lane; a delivery thread's unit of work.
 * - Delivery: one event for one device. The row exists only once it was tried.
 * - Outcome: the meaning of a provider's answer, as plain data, for the device or the whole route.
 * - Verdict: an outcome's consequence for the delivery: a final state, or a retry at a time.
 * - Quarantined: a device rejected for what may be our mistake (wrong environment, topic or project). Its pushes are
 *   held in their own lane until evidence decides. See delivery/quarantine.ts.
 * - Revocation: claimed pushes that may not be sent any more. The device lost its right or changed its address, the
 *   workspace is suspended, or the event was cancelled. Unsent ones are cancelled in flight: the outcome is `recalled`,
 *   and the queue decides again.
 * - Settle: to record verdicts of a batch or part in one transaction.
 * - Lane: urgent (`time_sensitive`), standard, or quarantine (held pushes of any urgency).
 * - Accepted: the provider accepted the push. Never say "delivered".
 *
 * Time is an argument, with its unit in the name. `…AtMs` is Unix time in milliseconds. `steadyMs` never jumps (see
 * clock.ts): queue, backoff and limits use only such times.
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
 * Every provider with its platform and routes. A provider without an entry in contract/addresses.ts, providers/table.ts
 * and sandbox/table.ts does not compile.
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

/** The APNs of an iOS device's token. Others have none. */
export type Environment = 'production' | 'sandbox';
/** An Android device's address: FCM registration token or Firebase installation ID. Others: always `token`. */
export type TokenKind = 'token' | 'installation_id';

export const LANES = ['urgent', 'standard', 'quarantine'] as const;
export type Lane = (typeof LANES)[number];

export const DELIVERY_STATES = ['pending', 'accepted', 'failed', 'unregistered', 'expired', 'withdrawn'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Links, and the sender's `data`: in memory, never written to a disk. */
export interface Links {
  readonly url?: string;
  readonly imageUrl?: string;
  /** String pairs as JSON, sorted by name. Text, so that its memory is known. */
  readonly data?: string;
}

/** The validated body of POST /v1/events with defaults, without links. */
export interface PostedEvent {
  readonly channel: string;
  readonly title: string;
  readonly description: string | null;
  readonly level: Level;
  readonly urgency: Urgency;
  readonly eventType: string | null;
  /** A later event with the same key replaces this one on the device, within the channel. */
  readonly collapseKey: string | null;
  /** Seconds after which it is not sent; null: the operator's time to live. */
  readonly expiresInS: number | null;
  /** The time of the incident, according to the sender. Only shown to people. */
  readonly occurredAtMs: number | null;
  /** 1: the sender's format gave one text, the title. Pushes show it below the channel's name. */
  readonly oneText: 1 | null;
  /** The time to send it (wall clock); null or past: at once. */
  readonly sendAtMs: number | null;
  readonly idempotencyKey: string | null;
  readonly links: Links;
}

/** The specification's record, as in the API. */
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
 * An event's parts for providers, shared by all devices. `quiet`: without a sound, `quietReason` for the metrics.
 * `receipt`: devices report having shown it.
 */
export interface PushEvent extends Omit<PostedEvent, 'expiresInS' | 'sendAtMs' | 'idempotencyKey' | 'oneText'> {
  /** The channel's name, if shown as the title. */
  readonly headline?: string;
  readonly publicId: string;
  readonly workspace: string;
  readonly receivedAtMs: number;
  readonly quiet?: true;
  readonly quietReason?: string;
  readonly alert?: AlertPush;
  readonly receipt?: true;
}

/** The place of a push about a rota, which has no channel. No slug is like it. */
export const ON_CALL_PLACE = 'on call';

export const ALERT_STATES = ['open', 'acknowledged', 'resolved', 'expired'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** A push's parts of an alert. */
interface AlertPush {
  /** Public id of the event that opened it. */
  readonly id: string;
  readonly state: AlertState;
  /** 0: an event as it was posted. */
  readonly reminder: number;
  /** The holder of the acknowledged alert. */
  readonly by?: string;
  /** A bundle's open alerts in the channel. */
  readonly open?: number;
  /** The event shown by a reminder or notice. */
  readonly shows?: { readonly publicId: string; readonly receivedAtMs: number };
  /** The channel that opened the alert. Other channels' pushes replace its push too. */
  readonly channel?: string;
  /** The person on call, for whom alone it rings. */
  readonly onCall?: string;
}

/** The address of a device at its provider. */
export interface Address {
  /** A device token or push endpoint, unique on the platform. */
  readonly token: string;
  readonly tokenKind: TokenKind;
  /** Further parts of an address, such as a browser's keys, as JSON; null: none. */
  readonly keys: string | null;
}

/**
 * A device's address. `event`: the place in the batch. `attempts`: earlier tries. `wasAccepted`: the provider once
 * accepted a push here. `isQuarantined`: it has refused one since.
 */
export interface Target extends Address {
  readonly event: number;
  readonly deviceId: number;
  readonly attempts: number;
  readonly wasAccepted: boolean;
  readonly isQuarantined: boolean;
}

/**
 * `ttlMs`: remaining life of the event, for which providers keep pushes for offline devices. Nothing is sent after
 * that.
 */
export interface BatchEvent {
  readonly event: PushEvent;
  readonly ttlMs: number;
}

/**
 * `revoked`: one byte a target, in order, in shared memory; not 0 once revoked. `leaseEnd`: until when to send
 * (clock.ts), also shared; absent: for good.
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

export type DeviceOutcome =
  /** `keptS`: seconds that the service keeps it, if fewer than asked. */
  | { readonly kind: 'accepted'; readonly keptS?: number }
  /** The token is dead. `quarantine`: perhaps our mistake (wrong environment or project), so the quarantine decides. */
  | { readonly kind: 'unregistered'; readonly reason: string; readonly atMs?: number; readonly quarantine?: boolean }
  /**
   * The push is held: by the quarantine without evidence, or by the client, at least for `retryAfterS`, as the app is
   * not set up. `isSent`: whether tried.
   */
  | { readonly kind: 'held'; readonly reason: string; readonly isSent: boolean; readonly retryAfterS?: number }
  /** Final for this push; the token is kept. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Retry the push. `busy`: the provider throttles; `fault`: the connection failed. */
  | {
      readonly kind: 'deferred';
      readonly reason: string;
      readonly pace: 'fault' | 'busy';
      readonly retryAfterS?: number;
    }
  /** Unsent, as the push was revoked. */
  | { readonly kind: 'recalled'; readonly reason: string };

/**
 * An answer about the whole route: it pauses, and the push keeps its attempts. `words`: the system's message of a
 * failed connection.
 */
type RouteOutcome =
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterS?: number; readonly words?: string }
  | { readonly kind: 'unauthorized'; readonly reason: string };

export type Outcome = DeviceOutcome | RouteOutcome;

/**
 * A thread's answer for a target. `index`: the place in the batch, as a device may occur repeatedly. `fitted`: the
 * payload was shortened.
 */
export interface Sent {
  readonly index: number;
  readonly deviceId: number;
  readonly outcome: Outcome;
  readonly fitted: boolean;
}

/**
 * The permanent key pair that identifies the sender to push services, and binds subscriptions. In base64url; the public
 * key is an uncompressed point of 65 bytes. https://www.rfc-editor.org/rfc/rfc8292
 */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Makes the compiler check that a union is exhausted. */
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
