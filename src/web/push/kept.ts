import { DEVICE_KEY, type KnownDevice, THIS_DEVICE } from '../messages.ts';
import { Shared } from '../shared.ts';

/** The browser's data about itself as a device. */
export interface Kept {
  readonly id: string;
  /** The owner: another user may sign in later. */
  readonly email: string;
}

const KEPT_AS = 'device';

/** The stored device; null: none. */
export const kept = new Shared<Kept | null>(read());
kept.listen(() => {
  if (kept.value !== null) localStorage.setItem(KEPT_AS, JSON.stringify(kept.value));
  else {
    localStorage.removeItem(KEPT_AS);
    void globalThis.caches?.delete(THIS_DEVICE).catch(() => undefined);
  }
});

/**
 * Stores the device for the worker, which cannot read `localStorage`, if there are caches. Without `token`, keeps the
 * device's own.
 */
export async function leaveForWorker({ token, ...device }: Omit<KnownDevice, 'token'> & Token): Promise<void> {
  const before = token === undefined ? await knownToWorker() : null;
  const known: KnownDevice = { ...device, token: token ?? (before?.id === device.id ? before.token : null) };
  const cache = await globalThis.caches?.open(THIS_DEVICE).catch(() => undefined);
  await cache?.put(DEVICE_KEY, new Response(JSON.stringify(known))).catch(() => undefined);
}

interface Token {
  readonly token?: string | null;
}

/** Returns the worker's device; null: none. */
export async function knownToWorker(): Promise<KnownDevice | null> {
  const kept = await globalThis.caches?.match(DEVICE_KEY, { cacheName: THIS_DEVICE }).catch(() => undefined);
  return (await kept?.json().catch(() => null)) ?? null;
}

// Another tab has changed the device.
addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS) kept.value = read();
});

/** Whether browser settings ended this device. The app tells its owner. */
export const wasSwitchedOff = new Shared(false);

function read(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
