import { setTimeout as wait } from 'node:timers/promises';
import type { StoreClient } from '../../store/calls.ts';
import { unwrap } from '../context.ts';
import { DEMO_CHANNEL, DEMO_WORKSPACE } from './workspace.ts';

const LOOK_EVERY_MS = 1_000;
/** The newest come first. */
const PAGE = 100;

export async function listBrowsers(store: StoreClient): Promise<readonly string[]> {
  const { devices } = unwrap(await store.listDevices({ workspace: DEMO_WORKSPACE, limit: PAGE }));
  return devices.filter(({ platform, status }) => platform === 'web' && status === 'active').map(({ id }) => id);
}

/**
 * Subscribes new browsers to the demo's channel, then calls `onNew`. Resolves when aborted; rejects if a look fails.
 */
export async function watchBrowsers(
  store: StoreClient,
  before: readonly string[],
  onNew: () => Promise<void>,
  aborted: AbortSignal,
): Promise<void> {
  const known = new Set(before);
  while (!aborted.aborted) {
    for (const id of await listBrowsers(store)) {
      if (known.has(id)) continue;
      known.add(id);
      unwrap(await store.subscribeDevice({ id, channels: [DEMO_CHANNEL], workspace: DEMO_WORKSPACE }));
      await onNew();
    }
    await wait(LOOK_EVERY_MS, undefined, { signal: aborted }).catch(() => {});
  }
}
