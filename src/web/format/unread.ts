import type { Unread } from '../api/unread.ts';
import { whole } from './numbers.ts';

/** Returns `1,284`, or `1,000+` if there are more than the server counts. */
export function unreadText({ events, isMore }: Unread): string {
  return `${whole(events)}${isMore ? '+' : ''}`;
}

/** Returns a text that fits into a badge: `99+` from a hundred on. */
export function shortUnreadText(unread: Unread): string {
  return unread.events > 99 ? '99+' : unreadText(unread);
}
