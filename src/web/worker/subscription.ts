import type { KnownDevice } from '../messages.ts';

/**
 * The used fields. Firefox sends no new subscription after its service lost the old. Other browsers omit the old, or
 * both.
 */
interface Change {
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
}

/** Access to the stored device. */
export interface Known {
  /** Finds the stored device; null: none, or unreadable. */
  find(): Promise<KnownDevice | null>;
  keep(device: KnownDevice): Promise<void>;
}

type Pushes = Pick<ServiceWorkerRegistration, 'pushManager'>;

/**
 * Reports the current subscription, made with the server's key if missing. The device keeps name and channels. The next
 * push or start repeats undelivered reports.
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

/** Reports an unknown subscription: no event announced it, or reporting failed. */
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
