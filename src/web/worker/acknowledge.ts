import { KEPT_TAPS, type KeptTap, tapKey } from '../messages.ts';
import { eventIdIn } from './event-id.ts';
import type { Words } from './notification.ts';
import { openForPerson } from './open-for-person.ts';

/** `silent`: the server did not answer; `failed`: it could not do it now; `refused`: it will not do it for who is here. */
export type Outcome = 'done' | 'silent' | 'failed' | 'refused';

/** Acknowledges the alert that a notification is of, as the person who is signed in; a bundle with all that it is of. */
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

/** Keeps the tap of an acknowledgement that the server did not take, until it is made, for the app to make it again. */
export async function keepTap(data: unknown, isMade: boolean): Promise<void> {
  const id = eventIdIn(data, 'alert_id');
  const taps = id === null ? null : await openForPerson(KEPT_TAPS);
  if (id === null || taps === null) return;
  const tap: KeptTap = { all: isBundle(data), atMs: Date.now() };
  if (isMade) await taps.delete(tapKey(id));
  else await taps.put(tapKey(id), new Response(JSON.stringify(tap)));
}

/** The same notification once more, which says that its button did nothing, and is heard. */
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

/** The address of the alert's page, for a click on a notification's button that came to nothing. */
export function alertPage(data: unknown): unknown {
  const id = eventIdIn(data, 'alert_id');
  return id === null ? data : { navigate: `/events/${id}` };
}

function isBundle(data: unknown): boolean {
  return (data as { readonly open_alerts?: number }).open_alerts !== undefined;
}
