/** Forgets a signed-in person in pages and worker. */
import { CHANNEL_NAMES, KEPT_EVENTS, KEPT_LINKS, KEPT_RECEIPTS, KEPT_TAPS, SIGNED_OUT } from './messages.ts';

/** The used part of the worker's registration, which pages may lack. */
type Registration = Pick<ServiceWorkerRegistration, 'getNotifications'> | undefined;

/** Removes kept data and closes notifications. Never rejects, even without caches. */
export async function forgetShown(registration: Registration | Promise<Registration>): Promise<void> {
  const names = [KEPT_LINKS, KEPT_TAPS, KEPT_RECEIPTS, CHANNEL_NAMES, KEPT_EVENTS];
  const removals = names.map((name) => globalThis.caches?.delete(name));
  await Promise.allSettled([...removals, closeNotifications(registration)]);
}

/** Forgets an ended session, and keeps the worker from storing until the next sign-in. */
export async function forgetSession(registration: Registration | Promise<Registration>): Promise<void> {
  // First: anything stored at this moment is removed, too.
  await globalThis.caches?.open(SIGNED_OUT).catch(() => undefined);
  await forgetShown(registration);
}

async function closeNotifications(registration: Registration | Promise<Registration>): Promise<void> {
  for (const notification of (await (await registration)?.getNotifications()) ?? []) notification.close();
}
