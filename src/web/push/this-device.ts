import { ask } from '../api/ask.ts';
import type { Input } from '../api/client.ts';
import { loadDevices } from '../api/devices.ts';
import { type Answer, partOf } from '../api/problem.ts';
import { browserName } from '../format/browser-name.ts';
import { session } from '../session.ts';
import { Shared } from '../shared.ts';
import { push as texts } from '../texts/devices.ts';
import {
  type CheckedIn,
  checkIn,
  type Device,
  type RegisteredDevice,
  type Subscribed,
  type There,
} from './check-in.ts';
import { failed, here } from './here.ts';
import { kept, leaveForWorker, wasSwitchedOff } from './kept.ts';

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
