import webPush from 'web-push';
import { uuidOf } from '../../contract/public-id.ts';
import { ON_CALL_PLACE, type PushEvent } from '../../push.ts';
import {
  type AlertKeys,
  alertKeys,
  type Content,
  collapseIdOf,
  contentOf,
  type Fitted,
  type FlatKeys,
  fit,
  flatKeys,
  mannerOf,
  pairs,
} from '../payload.ts';

/**
 * A browser's payload: a declarative push message, shown by Safari itself, elsewhere by the service worker. See
 * schemas/payload-webpush.json. https://webkit.org/blog/16535/meet-declarative-web-push/
 */
interface WebPushPayload {
  readonly web_push: 8030;
  readonly notification: {
    readonly title: string;
    readonly body: string;
    readonly lang: '';
    readonly dir: 'auto';
    /** A click's target: the link, else the event's page or that of rotas. Insistent alerts always open their page. */
    readonly navigate: string;
    readonly tag: string;
    readonly silent: boolean;
    /** Unix time in milliseconds. */
    readonly timestamp: number;
    readonly image?: string;
    readonly requireInteraction?: true;
    /** The button of an alert that insists. */
    readonly actions?: readonly [{ readonly action: 'acknowledge'; readonly title: string }];
    readonly data: Omit<FlatKeys, 'image_url'> &
      AlertKeys & { readonly data?: Readonly<Record<string, string>>; readonly fitted?: true };
  };
}

/** Sent unencrypted, for the push service. */
export interface WebPushHeaders {
  /** Seconds. */
  readonly ttlS: number;
  /** Replaces an undelivered push of the same topic. */
  readonly topic: string;
}

/**
 * Firefox on Android uses FCM, which fits 2,744 bytes; the endpoint does not show the browser.
 * https://mozilla-services.github.io/autopush-rs/http.html
 */
export const WEB_PUSH_LIMIT_BYTES = 2700;

/** Google's maximum; 0 would mean now or never. */
const MAX_TTL_S = 28 * 24 * 3600;

export function webPushPayload(event: PushEvent, appUrl: string): Fitted<WebPushPayload> {
  return fit(contentOf(event), WEB_PUSH_LIMIT_BYTES, (content) => build(event, content, appUrl));
}

/**
 * Makes topics of 32 hex digits, since Apple takes only whole bytes in base64url. From the event's UUID or collapse
 * key.
 */
export function webPushHeaders(event: PushEvent, ttlMs: number): WebPushHeaders {
  return {
    ttlS: Math.min(Math.max(Math.floor(ttlMs / 1000), 1), MAX_TTL_S),
    topic: uuidOf(collapseIdOf(event))?.replaceAll('-', '') ?? collapseIdOf(event),
  };
}

function build(event: PushEvent, content: Content, appUrl: string): WebPushPayload {
  const { title, body, links } = content;
  const { image_url, ...data } = { ...flatKeys(event, content), ...alertKeys(event), ...pairs(links) };
  const manner = mannerOf(event);
  return {
    web_push: 8030,
    notification: {
      title,
      body,
      lang: '',
      dir: 'auto',
      navigate: (manner !== 'insists' && links.url) || `${appUrl}${pageOf(event)}`,
      tag: collapseIdOf(event),
      silent: manner === 'quiet',
      timestamp: shownMs(event),
      ...(image_url !== undefined && { image: image_url }),
      ...(event.urgency === 'time_sensitive' && manner !== 'quiet' && { requireInteraction: true as const }),
      ...(manner === 'insists' && { actions: ACKNOWLEDGE }),
      data: { ...data, ...(content.fitted && { fitted: true as const }) },
    },
  };
}

function pageOf({ channel, alert, publicId }: PushEvent): string {
  if (channel === ON_CALL_PLACE) return '/on-call';
  return `/events/${alert?.shows ? alert.id : publicId}`;
}

const ACKNOWLEDGE = [{ action: 'acknowledge', title: 'Acknowledge' }] as const;

/**
 * Returns when it happened, else was received. Browsers know no time before 1970, which programs use for unknown:
 * https://w3c.github.io/hr-time/#the-epochtimestamp-typedef
 */
function shownMs({ occurredAtMs, receivedAtMs }: PushEvent): number {
  return occurredAtMs !== null && occurredAtMs >= 0 ? occurredAtMs : receivedAtMs;
}

/** 4,096 bytes, taken by every service, less 103 of encryption (RFC 8291, section 4). */
export const MAX_PLAINTEXT_BYTES = 3993;

/** A push service's request, decrypted only by the browser. */
export interface EncryptedRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/**
 * Encrypts for a browser with a new key pair. `keys`: as stored. Throws for invalid keys and too long messages: the
 * library would split them into records unreadable for browsers.
 */
export function encryptFor(
  endpoint: string,
  keys: string | null,
  plaintext: Buffer,
  shown: WebPushHeaders,
): EncryptedRequest {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) throw new RangeError(`${plaintext.length} bytes do not fit in a push`);
  const subscription = { endpoint, keys: JSON.parse(keys ?? '{}') as { p256dh: string; auth: string } };
  const { headers, body } = webPush.generateRequestDetails(subscription, plaintext, {
    TTL: shown.ttlS,
    topic: shown.topic,
    // All is for people; Apple and Google hold lower urgencies until the device is used.
    urgency: 'high',
    contentEncoding: 'aes128gcm',
  });
  return { headers: headers as EncryptedRequest['headers'], body: body as Buffer };
}
