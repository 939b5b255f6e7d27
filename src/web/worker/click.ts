import type { ForPage } from '../messages.ts';
import { eventIdIn } from './event-id.ts';

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
