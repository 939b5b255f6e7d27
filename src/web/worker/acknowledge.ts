/** What of a notification's data says which alert it is of. */
interface AlertData {
  readonly alert_id: string;
  readonly open_alerts?: number;
}

/**
 * Acknowledges the alert that a notification is of, as the person who is signed in; a bundle with all that it is of.
 * Returns whether that was done: else the alert's page is to be opened.
 */
export async function acknowledge(data: unknown, ask: typeof fetch = fetch): Promise<boolean> {
  if (!isOfAlert(data)) return false;
  try {
    const answer = await ask(`/api/v1/events/${data.alert_id}/acknowledge`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ all: data.open_alerts !== undefined }),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/** The address of the alert's page, for a click on a notification's button that came to nothing. */
export function alertPage(data: unknown): unknown {
  return isOfAlert(data) ? { navigate: `/events/${data.alert_id}` } : data;
}

function isOfAlert(data: unknown): data is AlertData {
  return typeof data === 'object' && data !== null && 'alert_id' in data && /^evt_\w+$/.test(String(data.alert_id));
}
