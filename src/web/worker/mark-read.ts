import { eventIdIn } from './event-id.ts';

/** The event of a notification that was tapped is read, on all devices of the person who is signed in; no other is. */
export async function markRead(data: unknown, ask: typeof fetch = fetch): Promise<void> {
  const id = eventIdIn(data);
  if (id === null) return;
  // Where the server cannot be reached, the event stays unread: nothing is lost.
  await ask('/api/v1/inbox/read', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [id] }),
  }).catch(() => undefined);
}
