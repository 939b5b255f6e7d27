import { createHash } from 'node:crypto';
import type { PushEvent } from '../../push.ts';

/**
 * By what a push takes the place of an earlier one on the device: of the same event, which may be sent twice, or of any
 * event with the same collapse key in the channel. The latter is a hash, as Apple takes no more than 64 bytes:
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
 */
export function collapseIdOf({ publicId, workspace, channel, collapseKey }: PushEvent): string {
  if (collapseKey === null) return publicId;
  const name = JSON.stringify([workspace, channel, collapseKey]);
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}
