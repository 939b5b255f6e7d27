import type { PushEvent } from '../../push.ts';
import {
  type AlertKeys,
  alertKeys,
  type Content,
  contentOf,
  type Fitted,
  type FlatKeys,
  fit,
  flatKeys,
  mannerOf,
  pairs,
} from '../payload.ts';

/** Apple's JSON body: the app's keys beside `aps`. See schemas/payload-apns.json. */
export interface ApnsPayload extends FlatKeys, AlertKeys {
  readonly aps: {
    readonly alert: { readonly title: string; readonly body: string };
    /** Absent: none is heard. */
    readonly sound?: 'default' | { readonly critical: 1; readonly name: 'default'; readonly volume: 1 };
    readonly 'thread-id': string;
    readonly 'interruption-level': 'passive' | 'active' | 'time-sensitive' | 'critical';
    /** The app's category with the alert's buttons. */
    readonly category?: 'pushctl.alert';
    /** Wakes the app's extension to fetch the image. */
    readonly 'mutable-content'?: 1;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly fitted?: true;
}

/**
 * Apple refuses a longer body with 413.
 * https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
 */
export const APNS_LIMIT_BYTES = 4096;

/** `critical`: Apple's entitlement lets alerts sound whatever the device's settings. */
export function apnsPayload(event: PushEvent, isCritical = false): Fitted<ApnsPayload> {
  return fit(contentOf(event), APNS_LIMIT_BYTES, (content) => build(event, content, isCritical));
}

function build(event: PushEvent, content: Content, isCritical: boolean): ApnsPayload {
  return {
    aps: {
      alert: { title: content.title, body: content.body },
      ...heard(event, isCritical),
      'thread-id': `${event.workspace}/${event.channel}`,
      ...((content.links.imageUrl !== undefined || event.receipt) && { 'mutable-content': 1 }),
    },
    ...flatKeys(event, content),
    ...alertKeys(event),
    ...pairs(content.links),
    ...(content.fitted && { fitted: true }),
  };
}

function heard(
  event: PushEvent,
  isCritical: boolean,
): Pick<ApnsPayload['aps'], 'sound' | 'interruption-level' | 'category'> {
  switch (mannerOf(event)) {
    case 'quiet':
      return { 'interruption-level': 'passive' };
    case 'insists':
      return isCritical
        ? { sound: CRITICAL, 'interruption-level': 'critical', category: 'pushctl.alert' }
        : { sound: 'default', 'interruption-level': 'time-sensitive', category: 'pushctl.alert' };
    case 'plain': {
      const level = event.urgency === 'time_sensitive' ? 'time-sensitive' : 'active';
      return { sound: 'default', 'interruption-level': level };
    }
  }
}

const CRITICAL = { critical: 1, name: 'default', volume: 1 } as const;
