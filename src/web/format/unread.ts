import type { Unread } from '../api/unread.ts';
import { whole } from './numbers.ts';

/** `1,284`, or `1,000+` where the count stops. */
export function unreadText({ events, isMore }: Unread): string {
  return `${whole(events)}${isMore ? '+' : ''}`;
}

/** In the room of a badge: `99+` from a hundred on. */
export function shortUnreadText(unread: Unread): string {
  return unread.events > 99 ? '99+' : unreadText(unread);
}
