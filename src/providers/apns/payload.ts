import type { PushEvent } from '../../push.ts';
import { type Content, contentOf, type FlatKeys, flatKeys } from '../payload/content.ts';
import { type Fitted, fit } from '../payload/fit.ts';

/** The JSON body of a push to Apple: the app's own keys stand beside `aps`. See schemas/payload-apns.json. */
export interface ApnsPayload extends FlatKeys {
  readonly aps: {
    readonly alert: { readonly title: string; readonly body: string };
    readonly sound: 'default';
    readonly 'thread-id': string;
    readonly 'interruption-level': 'active' | 'time-sensitive';
    /** Wakes the app's notification service extension, which fetches the image. */
    readonly 'mutable-content'?: 1;
  };
  readonly fitted?: true;
}

/**
 * Apple refuses a longer body with 413.
 * https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
 */
export const APNS_LIMIT_BYTES = 4096;

export function apnsPayload(event: PushEvent): Fitted<ApnsPayload> {
  return fit(contentOf(event), APNS_LIMIT_BYTES, (content) => build(event, content));
}

function build(event: PushEvent, content: Content): ApnsPayload {
  return {
    aps: {
      alert: { title: content.title, body: content.body },
      sound: 'default',
      'thread-id': `${event.workspace}/${event.channel}`,
      'interruption-level': event.urgency === 'time_sensitive' ? 'time-sensitive' : 'active',
      ...(content.links.imageUrl !== undefined && { 'mutable-content': 1 }),
    },
    ...flatKeys(event, content),
    ...(content.fitted && { fitted: true }),
  };
}
