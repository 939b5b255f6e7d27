import { Shared } from '../shared.ts';

/** How many events are unread, in all workspaces, as the last answer about the inbox said. */
export const unread = new Shared(0);

/** To be told of every answer that counts all workspaces. */
export function learnUnread(byWorkspace: readonly { readonly events: number }[]): void {
  const count = byWorkspace.reduce((sum, { events }) => sum + events, 0);
  if (count !== unread.value) unread.value = count;
}
