/** As much of the event as is used. Firefox sends it without a new subscription, after its service has lost the old. */
interface Change {
  readonly oldSubscription: PushSubscription | null;
  readonly newSubscription: PushSubscription | null;
}

/** Subscribes again with the same key, and reports it to the server, which then keeps the device with its name and channels. */
export async function renew(
  { oldSubscription, newSubscription }: Change,
  { pushManager }: Pick<ServiceWorkerRegistration, 'pushManager'>,
  ask: typeof fetch,
): Promise<void> {
  if (oldSubscription === null) return;
  const { applicationServerKey } = oldSubscription.options;
  const subscription =
    newSubscription ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { endpoint, keys } = subscription.toJSON();
  // Where the server cannot be reached now, the app reports it at its next start.
  await ask('/api/v1/devices', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      platform: 'web',
      subscription: { endpoint, keys },
      replaces: oldSubscription.endpoint,
    }),
  });
}
