import { Shared } from '../shared.ts';

/** `isMore`: the server's count ended there. */
export interface Unread {
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
