import type { PushEvent } from '../../push.ts';
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
} from '../payload.ts';

/**
 * FCM's HTTP v1 `message` without target, in wire names. See schemas/payload-fcm.json. Style `data` has no
 * `notification`: the app draws it. With one, messages are collapsible, throttled after bursts, and run no app code in
 * the background.
 */
export interface FcmMessage {
  readonly data: FlatKeys & {
    readonly title: string;
    readonly body: string;
    /**
     * The id of replaced notifications, with a collapse key or alert only. Google's Android library hides
     * `collapse_key` from apps (`extractDeveloperDefinedPayload` in https://github.com/firebase/firebase-android-sdk).
     */
    readonly collapse_id?: string;
    /** The sender's own pairs, as a JSON object. */
    readonly data?: string;
    readonly fitted?: 'true';
  } & { readonly [K in keyof AlertKeys]?: string };
  readonly notification?: { readonly title: string; readonly body: string; readonly image?: string };
  readonly android: {
    readonly priority: 'high';
    /** Seconds with an `s`: `86400s`. */
    readonly ttl: string;
    readonly notification?: { readonly tag: string };
  };
}

type FcmStyle = 'data' | 'notification';

/** Google says 4096 without saying of what: https://firebase.google.com/docs/cloud-messaging/error-codes */
export const FCM_LIMIT_BYTES = 4000;

/** FCM's maximum is four weeks. */
const MAX_TTL_S = 28 * 24 * 3600;

export function fcmMessage(event: PushEvent, style: FcmStyle, ttlMs: number): Fitted<FcmMessage> {
  const ttlS = Math.min(Math.max(Math.floor(ttlMs / 1000), 0), MAX_TTL_S);
  return fit(contentOf(event), FCM_LIMIT_BYTES, (content) => build(event, content, style, ttlS));
}

function hasPlace({ collapseKey, alert }: PushEvent): boolean {
  return collapseKey !== null || alert !== undefined;
}

/** All data of a message are strings. */
function inTexts(keys: AlertKeys): { readonly [K in keyof AlertKeys]?: string } {
  return Object.fromEntries(Object.entries(keys).map(([name, value]) => [name, String(value)]));
}

function build(event: PushEvent, content: Content, style: FcmStyle, ttlS: number): FcmMessage {
  const { title, body, links } = content;
  const collapseId = collapseIdOf(event);
  const data = {
    title,
    body,
    ...flatKeys(event, content),
    ...(hasPlace(event) && { collapse_id: collapseId }),
    ...inTexts(alertKeys(event)),
    ...(links.data !== undefined && { data: links.data }),
    ...(content.fitted && { fitted: 'true' as const }),
  };
  const android = { priority: 'high' as const, ttl: `${ttlS}s` };
  if (style === 'data') return { data, android };
  return {
    data,
    notification: { title, body, ...(links.imageUrl !== undefined && { image: links.imageUrl }) },
    android: { ...android, notification: { tag: collapseId } },
  };
}
