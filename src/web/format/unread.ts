import type { Unread } from '../api/unread.ts';
import { whole } from './numbers.ts';

/** Returns `1,284`, or `1,000+` beyond the server's limit. */
export function unreadText({ events, isMore }: Unread): string {
  return `${whole(events)}${isMore ? '+' : ''}`;
}

/** Returns a badge's text: `99+` from 100 on. */
export function shortUnreadText(unread: Unread): string {
  return unread.events > 99 ? '99+' : unreadText(unread);
}
