/** Forgets a person who was signed in, in pages and in the worker alike. */
import { CHANNEL_NAMES, KEPT_EVENTS, KEPT_LINKS, KEPT_RECEIPTS, KEPT_TAPS, SIGNED_OUT } from './messages.ts';

/** The part of the worker's registration that is used here; pages may have no registration. */
type Registration = Pick<ServiceWorkerRegistration, 'getNotifications'> | undefined;

/**
 * Removes what was kept and closes the shown notifications. Never rejects: a browser without caches has nothing to
 * remove.
 */
export async function forgetShown(registration: Registration | Promise<Registration>): Promise<void> {
  const names = [KEPT_LINKS, KEPT_TAPS, KEPT_RECEIPTS, CHANNEL_NAMES, KEPT_EVENTS];
  const removals = names.map((name) => globalThis.caches?.delete(name));
  await Promise.allSettled([...removals, closeNotifications(registration)]);
}

/** Does the same when a session has ended, and keeps the worker from storing anything until a user signs in. */
export async function forgetSession(registration: Registration | Promise<Registration>): Promise<void> {
  // This comes first, so that whatever the worker stores at this moment is removed with the rest.
  await globalThis.caches?.open(SIGNED_OUT).catch(() => undefined);
  await forgetShown(registration);
}

async function closeNotifications(registration: Registration | Promise<Registration>): Promise<void> {
  for (const notification of (await (await registration)?.getNotifications()) ?? []) notification.close();
}
