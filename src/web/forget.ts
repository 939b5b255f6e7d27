/** Forgets a person who was signed in, in pages and in the worker alike. */
import { CHANNEL_NAMES, KEPT_EVENTS, KEPT_LINKS, KEPT_TAPS, SIGNED_OUT } from './messages.ts';

/** The part of the worker's registration that is used; pages may have none. */
type Registration = Pick<ServiceWorkerRegistration, 'getNotifications'> | undefined;

/** Removes what was kept and closes what was shown. Never rejects: what a browser does not have needs no removal. */
export async function forgetShown(registration: Registration | Promise<Registration>): Promise<void> {
  const removals = [KEPT_LINKS, KEPT_TAPS, CHANNEL_NAMES, KEPT_EVENTS].map((name) => globalThis.caches?.delete(name));
  await Promise.allSettled([...removals, closeNotifications(registration)]);
}

/** Does the same when a session has ended, and has the worker keep nothing more until a user signs in. */
export async function forgetSession(registration: Registration | Promise<Registration>): Promise<void> {
  // First: what the worker keeps at this moment is then removed with the rest.
  await globalThis.caches?.open(SIGNED_OUT).catch(() => undefined);
  await forgetShown(registration);
}

async function closeNotifications(registration: Registration | Promise<Registration>): Promise<void> {
  for (const notification of (await (await registration)?.getNotifications()) ?? []) notification.close();
}
