import { eventIdIn } from './event-id.ts';

/**
 * Acknowledges the alert that a notification is of, as the person who is signed in; a bundle with all that it is of.
 * Returns whether that was done: else the alert's page is to be opened.
 */
export async function acknowledge(data: unknown, ask: typeof fetch = fetch): Promise<boolean> {
  const id = eventIdIn(data, 'alert_id');
  if (id === null) return false;
  const { open_alerts: open } = data as { readonly open_alerts?: number };
  try {
    const answer = await ask(`/api/v1/events/${id}/acknowledge`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ all: open !== undefined }),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/** The address of the alert's page, for a click on a notification's button that came to nothing. */
export function alertPage(data: unknown): unknown {
  const id = eventIdIn(data, 'alert_id');
  return id === null ? data : { navigate: `/events/${id}` };
}
