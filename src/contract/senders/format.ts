import type { EventRecord, Level, Urgency } from '../../push.ts';
import type { JsonObject } from '../../values/json.ts';
import { LAST_MS, toTimestamp } from '../../values/timestamp.ts';
import type { KeyForm } from '../api-key.ts';
import type { Body } from './bodies.ts';

/** A sender's request. Texts have any length and content. */
export interface SenderRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Returns a header field by lower-case name; empty if missing. */
  readonly header: (name: string) => string;
  readonly body: Body;
  readonly nowMs: number;
}

export type KeyPlace =
  /** Bearer, or Basic's password under any user name. */
  | { readonly in: 'authorization' }
  | { readonly in: 'header'; readonly name: string }
  /** `holds`: the key, or base64url of an Authorization header's value. */
  | { readonly in: 'query'; readonly name: string; readonly holds: 'key' | 'authorization' }
  /** The parameter `key`. */
  | { readonly in: 'path' }
  /** A JSON field: the body is read before the sender is known. */
  | { readonly in: 'body'; readonly name: string };

/** An event's fields before they are fitted to `schemas/event.json`. */
export interface SenderEvent {
  /** Default: the key's one channel. */
  readonly channel?: string;
  readonly title: string;
  readonly description?: string;
  readonly url?: string;
  readonly image_url?: string;
  /** Absent: the request names none. */
  readonly level?: Level;
  readonly delivery_urgency?: Urgency;
  readonly collapse_key?: string;
  readonly occurred_at?: string;
  readonly send_at?: string;
}

export interface Publication {
  readonly event: SenderEvent;
  /** The level for requests without one, if not the API's. */
  readonly fallback?: Pick<SenderEvent, 'level'>;
  /** Set if the sender may repeat it. */
  readonly notification?: Notification;
  /** The sender's own key: equal ones are the same event at any time. */
  readonly idempotencyKey?: string;
  /** Names of lists read only in part, and of parts that were left out. */
  readonly cut?: readonly string[];
  /** The status of the answer. Default: 200. */
  readonly status?: number;
  /** Plain data from the request that the answer repeats, perhaps from another thread. */
  readonly repeated?: JsonObject;
}

/** A notification that may arrive repeatedly: by a retry, or a pair's second Alertmanager. Plain data. */
export interface Notification {
  /** Equal in each delivery, and perhaps in a repeat. */
  readonly key: string;
  /** After this time, an equal key is a repeat. */
  readonly sameForMs: number;
  /** Set for alerts that say when they began. */
  readonly group?: AlertTimes;
}

/** Times of the sender's clock. */
interface AlertTimes {
  readonly key: string;
  /** Firing alerts by identity, and when they began. Null: some firing alerts have unknown times. */
  readonly firing: Readonly<Record<string, number>> | null;
  /** Resolved alerts, and when they ended. */
  readonly ended: Readonly<Record<string, number>>;
}

/** An answer without an event, in the format's words. */
export interface Reply {
  readonly status: number;
  readonly reply: SenderBody;
  readonly change?: SenderChange;
}

/** A change without an event. Without the collapse key, nothing changes. */
export interface SenderChange {
  /** `withdraw`: cancels scheduled events and resolves the alert. Others change only the alert. */
  readonly kind: 'acknowledge' | 'resolve' | 'withdraw';
  readonly collapseKey: string;
  /** Default: the key's one channel. */
  readonly channel?: string;
}

export interface AcceptedEvent {
  readonly event: EventRecord;
  /** The slug. */
  readonly channel: string;
  readonly keptMs: number;
}

/** Texts are sent as text/plain, others as JSON. */
export type SenderBody = string | object;

/** An error that is not yet in the format's form. */
interface SenderError {
  readonly status: number;
  /** The status in words: `Not Found`. */
  readonly reason: string;
  /** A full sentence. */
  readonly message: string;
}

/** An address of a format, below `/senders/<format>`. */
export interface SenderAddress {
  readonly methods: readonly ('get' | 'post' | 'put' | 'delete')[];
  /** `/{channel}`: a parameter in braces. */
  readonly path: string;
  readonly act: SenderAct;
}

type Asked = Publication | Reply | null;

export interface PublishAct {
  /** Returns null if the request has no text. */
  readonly publish: (request: SenderRequest) => Promise<Asked> | Asked;
  /** Tells, before the body arrives, whether it is plain text whose beginning suffices. */
  readonly isTextAlone?: (request: SenderRequest) => boolean;
  /** Makes the response that the sender expects. Default: the event, as our own API returns it. */
  readonly answer?: (accepted: AcceptedEvent, repeated: JsonObject) => SenderBody;
}

type SenderAct =
  | PublishAct
  /** The same for every client. */
  | { readonly answer: () => SenderBody }
  | { readonly refuse: () => Reply }
  /** Answers the key's holder. */
  | { readonly describe: (account: Account) => SenderBody };

export interface Account {
  /** The workspace's slug. */
  readonly name: string;
  /** This month. */
  readonly events: number;
  /** null: unlimited. */
  readonly allowance: number | null;
  readonly keptMs: number;
  /** The key in the format's form. */
  readonly key: string;
}

interface ConfiguredSender {
  /** Address of the format: `https://push.example.com/senders/ntfy`. */
  readonly address: string;
  readonly channel: string;
  /** The key in the format's form. */
  readonly key: string;
}

/** A format that programs already speak. Knows neither HTTP's server nor the store. */
export interface SenderFormat {
  /** Places of a key in search order. */
  readonly keys: readonly KeyPlace[];
  /** The key's form that senders want. */
  readonly keyForm: KeyForm;
  /** Whether senders retry a 429. Others get a 503, to keep the alert. */
  readonly retriesAfter429: boolean;
  readonly addresses: readonly SenderAddress[];
  readonly error: (error: SenderError) => SenderBody;
  /** Returns a sender's settings, ready to paste. */
  readonly configuration: (sender: ConfiguredSender) => string;
}

/**
 * Returns the latest time (Unix ms) as an event's field, or nothing. Ignores 0 and Go's year 1 for unknown times, and
 * milliseconds instead of seconds.
 */
export function occurredAt(timesMs: readonly (number | null)[]): Pick<SenderEvent, 'occurred_at'> {
  const latestMs = timesMs.reduce<number>((latest, atMs) => {
    return atMs !== null && atMs > latest && atMs <= LAST_MS ? atMs : latest;
  }, 0);
  return latestMs === 0 ? {} : { occurred_at: toTimestamp(latestMs) };
}
