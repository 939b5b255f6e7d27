import { isForPage } from '../messages.ts';
import { goTo } from './go-to.ts';
import { hrefOfOwn } from './own-address.ts';

/** Allows the one address of the worker: with Trusted Types, `serviceWorker.register` rejects plain text. */
const policy = window.trustedTypes?.createPolicy('pushctl', { createScriptURL: () => '/sw.js' });

/** Starts the worker in browsers that allow one, and opens the page of a clicked notification. */
export async function startWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  // Browsers allow no worker on plain HTTP to another machine.
  if (serviceWorker === undefined) return;
  serviceWorker.addEventListener('message', ({ data }) => {
    const href = isForPage(data) ? hrefOfOwn(data.show, location.origin) : null;
    if (href !== null) goTo(href);
  });
  try {
    await serviceWorker.register(policy?.createScriptURL('/sw.js') ?? '/sw.js');
  } catch (error) {
    // The app works without it, but pushes do not. The page about this device says so.
    console.info('The service worker could not be registered.', error);
  }
}

type Policy = { createScriptURL(address: string): string };
declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  }
}
