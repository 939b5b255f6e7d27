import type { Answer } from '../api/problem.ts';
import { forgetShown } from '../forget.ts';
import { push as texts } from '../texts/devices.ts';
import { within } from '../within.ts';
import type { Here, Subscribed } from './check-in.ts';
import { knownToWorker } from './kept.ts';

/** Chromium waits forever for an unreachable push service. */
const LONGEST_MS = 30_000;

export const here: Here = {
  isAllowed: () => 'Notification' in window && Notification.permission === 'granted',

  async current() {
    const registration = await navigator.serviceWorker?.getRegistration();
    const subscription = await registration?.pushManager?.getSubscription();
    return subscription ? subscribed(subscription) : null;
  },

  /** Needs a click if the browser still has to ask for permission. */
  async subscribe(applicationServerKey) {
    const subscribing = navigator.serviceWorker.ready.then(({ pushManager }) =>
      pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }),
    );
    try {
      const subscription = await within(LONGEST_MS, subscribing);
      return subscription === null ? failed(texts.noAnswer) : { ok: true, data: subscribed(subscription) };
    } catch (error) {
      return failed(texts.refused(error instanceof Error ? error.message : String(error)));
    }
  },

  async unsubscribe() {
    const registration = await navigator.serviceWorker?.getRegistration();
    await (await registration?.pushManager?.getSubscription())?.unsubscribe();
  },

  hasToken: async (id) => {
    const known = await knownToWorker();
    return known?.id === id && Boolean(known.token);
  },

  forgetShown: () => forgetShown(navigator.serviceWorker?.getRegistration()),
};

function subscribed(subscription: PushSubscription): Subscribed {
  const { endpoint, keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
  return {
    subscription: { endpoint: endpoint ?? subscription.endpoint, keys: { p256dh, auth } },
    key: base64url(subscription.options.applicationServerKey),
  };
}

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function failed(message: string): Answer<never> {
  return { ok: false, problem: { kind: 'refused', message, fields: {} } };
}
