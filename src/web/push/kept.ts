import { DEVICE_KEY, type KnownDevice, THIS_DEVICE } from '../messages.ts';
import { Shared } from '../shared.ts';

/** The data that the browser keeps about itself as a device. */
export interface Kept {
  readonly id: string;
  /** The owner of the device: another user may sign in here later. */
  readonly email: string;
}

const KEPT_AS = 'device';

/** The stored device; null: this browser is no device. */
export const kept = new Shared<Kept | null>(read());
kept.listen(() => {
  if (kept.value !== null) localStorage.setItem(KEPT_AS, JSON.stringify(kept.value));
  else {
    localStorage.removeItem(KEPT_AS);
    void globalThis.caches?.delete(THIS_DEVICE).catch(() => undefined);
  }
});

/** Stores the device for the worker, which cannot read `localStorage`. A browser without caches skips this. */
export async function leaveForWorker(device: KnownDevice): Promise<void> {
  const cache = await globalThis.caches?.open(THIS_DEVICE).catch(() => undefined);
  await cache?.put(DEVICE_KEY, new Response(JSON.stringify(device))).catch(() => undefined);
}

// Another tab has changed the device.
addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS) kept.value = read();
});

/** Whether the browser's own settings have ended this device. The app then tells its owner. */
export const wasSwitchedOff = new Shared(false);

function read(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
