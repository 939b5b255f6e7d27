import { eventIdIn } from './event-id.ts';

/** Marks a tapped notification's event as read on all devices. */
export async function markRead(data: unknown, ask: typeof fetch = fetch): Promise<void> {
  const id = eventIdIn(data);
  if (id === null) return;
  // Without the server, the event stays unread.
  await ask('/api/v1/inbox/read', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [id] }),
  }).catch(() => undefined);
}
