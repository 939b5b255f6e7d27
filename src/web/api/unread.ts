import { Shared } from '../shared.ts';

/** `isMore`: the server counts so far and no further. */
export interface Unread {
  readonly events: number;
  readonly isMore: boolean;
}

/** The most that the server counts of a workspace, as the description of the API says. */
const MOST_COUNTED = 1_000;

/** The number of unread events in all workspaces, by the last answer about the inbox. */
export const unread = new Shared<Unread>({ events: 0, isMore: false });

/** Called with every answer that counts all workspaces. */
export function learnUnread(byWorkspace: readonly { readonly events: number }[]): void {
  const events = byWorkspace.reduce((sum, count) => sum + count.events, 0);
  const isMore = byWorkspace.some((count) => count.events >= MOST_COUNTED);
  if (events !== unread.value.events || isMore !== unread.value.isMore) unread.value = { events, isMore };
}
