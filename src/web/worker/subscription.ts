import type { KnownDevice } from '../messages.ts';

/**
 * The fields of the event that are used here. Firefox sends the event without a new subscription, after its service has
 * lost the old one. Other browsers leave out the old one, or both.
 */
interface Change {
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
}

/** Access to the device that a page of this browser has stored. */
export interface Known {
  /** Finds the stored device; null: this browser is no device, or that cannot be read. */
  find(): Promise<KnownDevice | null>;
  keep(device: KnownDevice): Promise<void>;
}

type Pushes = Pick<ServiceWorkerRegistration, 'pushManager'>;

/**
 * Reports the browser's current subscription, and makes one with the server's key if there is none. The server keeps
 * the device with its name and channels. If the server cannot be reached, the next push or start of the app reports the
 * subscription.
 */
export async function renew(change: Change, { pushManager }: Pushes, ask: typeof fetch, known: Known): Promise<void> {
  const device = await known.find();
  const old = change.oldSubscription ?? null;
  // The server could not tell whose subscription a new one replaces.
  if (device === null && old === null) return;
  const subscription =
    change.newSubscription ??
    (await pushManager.getSubscription()) ??
    (await pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: device?.key ?? old?.options?.applicationServerKey ?? (await serverKey(ask)),
    }));
  await report(subscription, device, old, ask, known);
}

/** Reports a subscription that the server does not know yet: no event announced the change, or the report failed. */
export async function reportUnknown({ pushManager }: Pushes, ask: typeof fetch, known: Known): Promise<void> {
  const device = await known.find();
  if (device === null) return;
  const subscription = await pushManager.getSubscription();
  if (subscription === null || subscription.endpoint === device.endpoint) return;
  await report(subscription, device, null, ask, known);
}

async function report(
  subscription: PushSubscription,
  device: KnownDevice | null,
  old: PushSubscription | null,
  ask: typeof fetch,
  known: Known,
): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const answer = await ask(device === null ? '/api/v1/devices' : `/api/v1/devices/${device.id}`, {
    method: device === null ? 'POST' : 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...(device === null && { platform: 'web', replaces: old?.endpoint }),
      subscription: { endpoint, keys },
    }),
  });
  if (answer.ok && device !== null) await known.keep({ ...device, endpoint: subscription.endpoint });
}

async function serverKey(ask: typeof fetch): Promise<string> {
  const { public_key } = (await (await ask('/api/v1/webpush')).json()) as { readonly public_key: string };
  return public_key;
}
