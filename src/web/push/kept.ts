import { DEVICE_KEY, type KnownDevice, THIS_DEVICE } from '../messages.ts';
import { Shared } from '../shared.ts';

/** What the browser remembers of itself as a device. */
export interface Kept {
  readonly id: string;
  /** Whose device it is: another user may sign in here later. */
  readonly email: string;
}

const KEPT_AS = 'device';

/** null: this browser is no device. */
export const kept = new Shared<Kept | null>(read());
kept.listen(() => {
  if (kept.value !== null) localStorage.setItem(KEPT_AS, JSON.stringify(kept.value));
  else {
    localStorage.removeItem(KEPT_AS);
    void globalThis.caches?.delete(THIS_DEVICE).catch(() => undefined);
  }
});

/** Leaves the device to the worker, which reads no `localStorage`. A browser that keeps nothing goes without. */
export async function leaveForWorker(device: KnownDevice): Promise<void> {
  const cache = await globalThis.caches?.open(THIS_DEVICE).catch(() => undefined);
  await cache?.put(DEVICE_KEY, new Response(JSON.stringify(device))).catch(() => undefined);
}

// Another tab has changed it.
addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS) kept.value = read();
});

/** The browser's own settings have ended this device, which its owner should hear of. */
export const wasSwitchedOff = new Shared(false);

function read(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
