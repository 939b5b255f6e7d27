import { isForPage } from '../messages.ts';
import { goTo } from './go-to.ts';
import { hrefOfOwn } from './own-address.ts';

/** Allows the worker's address: with Trusted Types, `serviceWorker.register` rejects text. */
const policy = window.trustedTypes?.createPolicy('pushctl', { createScriptURL: () => '/sw.js' });

/** Starts the worker if possible, and opens clicked notifications' pages. */
export async function startWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  // Browsers allow no worker on remote plain HTTP.
  if (serviceWorker === undefined) return;
  serviceWorker.addEventListener('message', ({ data }) => {
    const href = isForPage(data) ? hrefOfOwn(data.show, location.origin) : null;
    if (href !== null) goTo(href);
  });
  try {
    await serviceWorker.register(policy?.createScriptURL('/sw.js') ?? '/sw.js');
  } catch (error) {
    // The app works without it, pushes do not; the device's page says so.
    console.info('The service worker could not be registered.', error);
  }
}

type Policy = { createScriptURL(address: string): string };
declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  }
}
