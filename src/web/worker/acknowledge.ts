import { KEPT_TAPS, type KeptTap, tapKey } from '../messages.ts';
import { eventIdIn } from './event-id.ts';
import type { Words } from './notification.ts';
import { openForPerson } from './open-for-person.ts';

/** `silent`: no answer; `failed`: not possible now; `refused`: never for this person. */
export type Outcome = 'done' | 'silent' | 'failed' | 'refused';

/** Acknowledges a notification's alert, or all of its alerts, as the signed-in person. */
export async function acknowledge(data: unknown, ask: typeof fetch = fetch): Promise<Outcome> {
  const id = eventIdIn(data, 'alert_id');
  if (id === null) return 'refused';
  try {
    const { ok, status } = await ask(`/api/v1/events/${id}/acknowledge`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ all: isBundle(data) }),
    });
    if (ok) return 'done';
    return status >= 500 || status === 429 ? 'failed' : 'refused';
  } catch {
    return 'silent';
  }
}

/** Keeps an undelivered acknowledgement for the app to repeat. `isMade`: removes it. */
export async function keepTap(data: unknown, isMade: boolean): Promise<void> {
  const id = eventIdIn(data, 'alert_id');
  const taps = id === null ? null : await openForPerson(KEPT_TAPS);
  if (id === null || taps === null) return;
  const tap: KeptTap = { all: isBundle(data), atMs: Date.now() };
  if (isMade) await taps.delete(tapKey(id));
  else await taps.put(tapKey(id), new Response(JSON.stringify(tap)));
}

/** Returns the notification again, with sound and a line about its ineffective button. */
export function shownAgain(notification: Notification, words: Words): NotificationOptions {
  const { body, tag, lang, dir, icon, data, requireInteraction } = notification;
  const { badge, actions, image, timestamp } = notification as Notification & Readonly<Record<string, unknown>>;
  const kept = { tag, lang, dir, icon, badge, data, requireInteraction, actions, image, timestamp };
  const lines = body.split('\n').filter((line) => line !== words.notAcknowledged);
  return {
    ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined && value !== '')),
    ...(tag !== '' && { renotify: true }),
    body: [words.notAcknowledged, ...lines].join('\n'),
  };
}

/** Returns the alert's page, after an ineffective button. */
export function alertPage(data: unknown): unknown {
  const id = eventIdIn(data, 'alert_id');
  return id === null ? data : { navigate: `/events/${id}` };
}

function isBundle(data: unknown): boolean {
  return (data as { readonly open_alerts?: number }).open_alerts !== undefined;
}
