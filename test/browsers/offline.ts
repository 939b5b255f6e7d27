import type { Page } from 'puppeteer-core';
import { workerTarget } from './worker.ts';

/** Cuts a page and its worker off from the network, as the browser's own offline mode does. Answers the way back. */
export async function goOffline(page: Page): Promise<() => Promise<void>> {
  // Chromium has a mode of its own for it.
  const worker = await (await workerTarget(page))?.createCDPSession();
  const set = async (offline: boolean): Promise<void> => {
    await page.setOfflineMode(offline);
    await worker?.send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  };
  await set(true);
  return () => set(false);
}
