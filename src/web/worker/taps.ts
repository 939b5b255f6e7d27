import { type ForPage, KEPT_TAPS, type KeptTap, tapKey } from '../messages.ts';
import { eventIdIn, type Words } from './notification.ts';
import { openForPerson } from './receipts.ts';

/** The used members of windows. */
interface Windows {
  matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly Window[]>;
  openWindow(address: string): Promise<unknown>;
}
interface Window {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: ForPage): void;
}

/**
 * Opens a notification's target: our pages in an open window, others in a new one. Focus comes first: a click allows
 * one such step, which navigation would use up.
 */
export async function click(data: unknown, origin: string, windows: Windows): Promise<void> {
  const address = addressIn(data, origin);
  if (address.origin !== origin) {
    await windows.openWindow(address.href);
    return;
  }
  try {
    const [open] = await windows.matchAll({ type: 'window', includeUncontrolled: true });
    if (open === undefined) throw new Error('no window is open');
    await open.focus();
    open.postMessage({ show: address.href });
  } catch {
    await windows.openWindow(address.href);
  }
}

/** Returns the event's page, in place of its link. */
export function ownPage(data: unknown): unknown {
  const id = eventIdIn(data);
  return id === null ? data : { navigate: `/events/${id}` };
}

/** Returns the address to open. App schemes are allowed; scripts and invalid ones lead to the inbox. */
function addressIn(data: unknown, origin: string): URL {
  const inbox = new URL('/', origin);
  if (typeof data !== 'object' || data === null || !('navigate' in data)) return inbox;
  const text = data.navigate;
  if (typeof text !== 'string' || !URL.canParse(text, origin)) return inbox;
  const address = new URL(text, origin);
  return FORBIDDEN.includes(address.protocol) ? inbox : address;
}

const FORBIDDEN = ['javascript:', 'data:', 'blob:', 'file:', 'about:'];

/** `silent`: no answer; `failed`: not possible now; `refused`: never for this person. */
type Outcome = 'done' | 'silent' | 'failed' | 'refused';

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
