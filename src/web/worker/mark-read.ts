import { eventIdIn } from './event-id.ts';

/** Marks a tapped notification's event as read, on all the person's devices. */
export async function markRead(data: unknown, ask: typeof fetch = fetch): Promise<void> {
  const id = eventIdIn(data);
  if (id === null) return;
  // If the server cannot be reached, the event stays unread: nothing is lost.
  await ask('/api/v1/inbox/read', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [id] }),
  }).catch(() => undefined);
}
