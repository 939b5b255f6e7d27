import type { EventRecord, Level, Urgency } from '../../push.ts';
import type { JsonObject } from '../../values/json.ts';
import type { KeyForm } from '../api-key.ts';
import type { Body } from './bodies.ts';

/** A request of a sender. Its texts are of any length and may hold anything. */
export interface SenderRequest {
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Returns a header field by its name in lower case; an empty text if it is missing. */
  readonly header: (name: string) => string;
  readonly body: Body;
  /** When it came. */
  readonly nowMs: number;
}

/** The places of an API key in a sender's request. */
export type KeyPlace =
  /** Bearer, or the password of Basic, whose user name may be empty. */
  | { readonly in: 'authorization' }
  | { readonly in: 'header'; readonly name: string }
  /** `holds`: the key itself, or base64url of what would stand in the Authorization header. */
  | { readonly in: 'query'; readonly name: string; readonly holds: 'key' | 'authorization' }
  /** The parameter `key`. */
  | { readonly in: 'path' }
  /** A field of JSON: then the body is read before it is known who sends it. */
  | { readonly in: 'body'; readonly name: string };

/** The fields of `schemas/event.json`, before they are made to fit it. */
export interface SenderEvent {
  /** Without it: the one channel of the key. */
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

/** The event and answer that a request leads to. */
export interface Publication {
  readonly event: SenderEvent;
  /** The format's level for requests that name none, if it is not that of POST /v1/events. */
  readonly fallback?: Pick<SenderEvent, 'level'>;
  /** Set if its sender may deliver it more than once. */
  readonly notification?: Notification;
  /** Its sender names it itself: the same is the same event, whenever it comes. */
  readonly idempotencyKey?: string;
  /** The names of lists of which only the first entries were looked at, and of what was left out. */
  readonly cut?: readonly string[];
  /** The status of the answer. Default: 200. */
  readonly status?: number;
  /** Parts of the request that the answer repeats. Plain data, as it may come from another thread. */
  readonly repeated?: JsonObject;
}

/**
 * A notification that may arrive more than once: by a retry after a lost answer, or by the second Alertmanager of a
 * pair. Plain data.
 */
export interface Notification {
  /** The same in each delivery, and perhaps in a repeat. */
  readonly key: string;
  /** After this time, the same is a repeat. */
  readonly sameForMs: number;
  /** Set for alerts that say when they began. */
  readonly group?: AlertTimes;
}

/** Times by the clock of the sender. */
export interface AlertTimes {
  /** Identifies the group. */
  readonly key: string;
  /** Alerts that fire, by what identifies them, and when they began. Null: there are others, of unknown times. */
  readonly firing: Readonly<Record<string, number>> | null;
  /** Alerts that are resolved, and when they ended. */
  readonly ended: Readonly<Record<string, number>>;
}

/** The answer to a request without an event, in words of the format. */
export interface Reply {
  readonly status: number;
  readonly reply: SenderBody;
  readonly change?: SenderChange;
}

/** A change that a request makes without an event. If nothing has the collapse key, nothing changes. */
export interface SenderChange {
  /** `withdraw`: cancels scheduled events and resolves the alert. The others change the alert alone. */
  readonly kind: 'acknowledge' | 'resolve' | 'withdraw';
  readonly collapseKey: string;
  /** Without it: the one channel of the key. */
  readonly channel?: string;
}

export interface AcceptedEvent {
  readonly event: EventRecord;
  /** The slug. */
  readonly channel: string;
  /** How long the event is kept. */
  readonly keptMs: number;
}

/** A text is sent as text/plain, anything else as JSON. */
export type SenderBody = string | object;

/** An error before it is put as the format has it. */
export interface SenderError {
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

/** The result of reading a request. */
type Asked = Publication | Reply | null;

export interface PublishAct {
  /** Null: there is no text in it at all. */
  readonly publish: (request: SenderRequest) => Promise<Asked> | Asked;
  /** Whether the body is a plain text, of which the beginning is enough. Asked before the body has come. */
  readonly isTextAlone?: (request: SenderRequest) => boolean;
  /** Makes the response that the sender expects. Without it: the event, as our own API has it. */
  readonly answer?: (accepted: AcceptedEvent, repeated: JsonObject) => SenderBody;
}

export type SenderAct =
  | PublishAct
  /** The same for every client. */
  | { readonly answer: () => SenderBody }
  | { readonly refuse: () => Reply }
  /** An answer for the holder of a key. */
  | { readonly describe: (account: Account) => SenderBody };

/** The rights and limits of a key. */
export interface Account {
  /** The workspace's slug. */
  readonly name: string;
  /** This month. */
  readonly events: number;
  /** null: unlimited. */
  readonly allowance: number | null;
  /** How long events are kept. */
  readonly keptMs: number;
  /** The key itself, as senders of the format want it. */
  readonly key: string;
}

/** The values for which `configuration` writes a sender's settings. */
export interface ConfiguredSender {
  /** Address of the format: `https://push.example.com/senders/ntfy`. */
  readonly address: string;
  readonly channel: string;
  /** The key in the form that senders of the format take. */
  readonly key: string;
}

/** A format that programs already speak. Pure: no file of it knows HTTP's server or the store. */
export interface SenderFormat {
  /** The places of a key, in the order of the search. */
  readonly keys: readonly KeyPlace[];
  /** How senders of the format want a key to look. */
  readonly keyForm: KeyForm;
  /** Whether its senders try again after a 429. The others get a 503 in its place, as they would lose the alert. */
  readonly retriesAfter429: boolean;
  readonly addresses: readonly SenderAddress[];
  readonly error: (error: SenderError) => SenderBody;
  /** Returns a sender's settings, ready to paste. */
  readonly configuration: (sender: ConfiguredSender) => string;
}
