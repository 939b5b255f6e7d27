import { ask } from '../api/ask.ts';
import type { Input } from '../api/client.ts';
import { loadDevices } from '../api/devices.ts';
import { type Answer, partOf } from '../api/problem.ts';
import { forgetShown } from '../forget.ts';
import { browserName } from '../format/browser-name.ts';
import { session } from '../session.ts';
import { Shared } from '../shared.ts';
import { push as texts } from '../texts/devices.ts';
import { within } from '../within.ts';
import {
  type CheckedIn,
  checkIn,
  type Device,
  type Here,
  type RegisteredDevice,
  type Subscribed,
  type There,
} from './check-in.ts';
import { kept, knownToWorker, leaveForWorker, wasSwitchedOff } from './kept.ts';

const there: There = {
  key: () => partOf(ask('get', '/v1/webpush', {}), ({ public_key }) => public_key),
  find: (id) => partOf(loadDevices(), (devices) => devices.find((device) => device.id === id) ?? null),
  register({ subscription }, replaces) {
    const body = { platform: 'web' as const, subscription, name: browserName(navigator.userAgent), replaces };
    return register(body);
  },
  renewToken: ({ subscription }) => register({ platform: 'web', subscription }),
  readdress(id, { subscription }) {
    const input = { path: { device: id }, body: { subscription } };
    return partOf(ask('patch', '/v1/devices/{device}', input), ({ device }) => device);
  },
  remove: (id) => ask('delete', '/v1/devices/{device}', { path: { device: id } }),
};

function register(body: Input<'post', '/v1/devices'>['body']): Promise<Answer<RegisteredDevice>> {
  return partOf(ask('post', '/v1/devices', { body }), ({ device, device_token: token }) => ({ ...device, token }));
}

/** Makes this browser a device, within a click. `key`: the server's. */
export async function addThisDevice(email: string, key: string): Promise<Answer<Device>> {
  if ((await Notification.requestPermission()) !== 'granted') return failed(texts.notAllowed);
  const before = await here.current();
  if (before !== null && before.key !== key) await here.unsubscribe();
  const subscribed = await here.subscribe(key);
  if (!subscribed.ok) return subscribed;
  const registered = await there.register(subscribed.data);
  if (registered.ok) keep(registered.data, email, subscribed.data);
  // The server does not know this subscription, so the browser must not keep it.
  else await here.unsubscribe();
  return registered;
}

function keep(device: Device | RegisteredDevice, email: string, { subscription: { endpoint }, key }: Subscribed): void {
  const { id } = device;
  if (kept.value?.id !== id) kept.value = { id, email };
  void leaveForWorker({ id, key, endpoint, ...('token' in device && { token: device.token }) });
}

/** The last check-in's result; null: none yet. */
export const lastCheckIn = new Shared<CheckedIn | null>(null);

/** Checks this device in once per start. */
export async function checkThisDeviceIn(email: string): Promise<void> {
  if (kept.value === null) return;
  const checked = await checkIn(kept.value, email, here, there);
  lastCheckIn.value = checked;
  if (checked.kind === 'well') keep(checked.device, email, checked.subscribed);
  if (checked.kind === 'ended') {
    kept.value = null;
    wasSwitchedOff.value = checked.why === 'switched-off';
  }
}

/** Ends this device on the server first: outages change nothing. */
export async function endThisDevice(): Promise<Answer<unknown>> {
  if (kept.value === null) return { ok: true, data: undefined };
  const removed = await there.remove(kept.value.id);
  if (!removed.ok && removed.problem.kind !== 'missing' && removed.problem.kind !== 'signed-out') return removed;
  await here.unsubscribe();
  kept.value = null;
  return { ok: true, data: undefined };
}

/** Ends the device before the session, to stop notifications here. */
export async function signOut(): Promise<Answer<unknown>> {
  if (kept.value !== null) {
    const ended = await endThisDevice();
    if (!ended.ok) return ended;
  }
  return session.signOut();
}

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
