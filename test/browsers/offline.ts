import type { CDPSession, Page } from 'puppeteer-core';

/** Cuts a page and its worker off from the network, as the browser's own offline mode does. Answers the way back. */
export async function goOffline(page: Page): Promise<() => Promise<void>> {
  const worker = await workerOf(page);
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

/** Chromium has a mode of its own for it. */
async function workerOf(page: Page): Promise<CDPSession | null> {
  const browser = page.browser();
  if (!(await browser.version()).startsWith('Chrome')) return null;
  const { origin } = new URL(page.url());
  const target = await browser.waitForTarget((one) => one.type() === 'service_worker' && one.url().startsWith(origin));
  return target.createCDPSession();
}
