import { whole } from '../format/numbers.ts';
import { Shared } from '../shared.ts';

/** `isMore`: the server's count ended there. */
interface Unread {
  readonly events: number;
  readonly isMore: boolean;
}

/** The server's limit of counting per workspace, as in the API's description. */
const MOST_COUNTED = 1_000;

/** The unread events of all workspaces, by the inbox's last answer. */
export const unread = new Shared<Unread>({ events: 0, isMore: false });

export function learnUnread(byWorkspace: readonly { readonly events: number }[]): void {
  const events = byWorkspace.reduce((sum, count) => sum + count.events, 0);
  const isMore = byWorkspace.some((count) => count.events >= MOST_COUNTED);
  if (events !== unread.value.events || isMore !== unread.value.isMore) unread.value = { events, isMore };
}

/** Returns `1,284`, or `1,000+` beyond the server's limit. */
export function unreadText({ events, isMore }: Unread): string {
  return `${whole(events)}${isMore ? '+' : ''}`;
}

/** Returns a badge's text: `99+` from 100 on. */
export function shortUnreadText(unread: Unread): string {
  return unread.events > 99 ? '99+' : unreadText(unread);
}
