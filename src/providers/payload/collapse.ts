import { createHash } from 'node:crypto';
import type { PushEvent } from '../../push.ts';

/**
 * By what a push takes the place of an earlier one on the device: of the same event, which may be sent twice, or of any
 * event with the same collapse key in the channel. All that is sent of an alert has its place, in other channels too, and
 * bundles of a channel have one for all of them. What is made of names is a hash, as Apple takes no more than 64 bytes:
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
 */
export function collapseIdOf({ publicId, workspace, channel, collapseKey, alert }: PushEvent): string {
  const place = [workspace, alert?.channel ?? channel];
  if (alert?.open !== undefined) return hashOf(place);
  return collapseKey === null ? (alert?.id ?? publicId) : hashOf([...place, collapseKey]);
}

function hashOf(names: readonly string[]): string {
  const name = JSON.stringify(names);
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}
