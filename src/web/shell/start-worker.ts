import { isForPage } from '../messages.ts';
import { goTo } from './go-to.ts';
import { hrefOfOwn } from './own-address.ts';

/** `serviceWorker.register` takes no text as an address, and there is but one. */
const policy = window.trustedTypes?.createPolicy('pushctl', { createScriptURL: () => '/sw.js' });

/** Starts the worker where browsers allow one, and goes where it says when a notification was clicked. */
export async function startWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  // Not where the address is not trustworthy: plain HTTP to another machine.
  if (serviceWorker === undefined) return;
  serviceWorker.addEventListener('message', ({ data }) => {
    const href = isForPage(data) ? hrefOfOwn(data.show, location.origin) : null;
    if (href !== null) goTo(href);
  });
  try {
    await serviceWorker.register(policy?.createScriptURL('/sw.js') ?? '/sw.js');
  } catch (error) {
    // The app works without it; pushes do not, which the page about this device says.
    console.info('The service worker could not be registered.', error);
  }
}

type Policy = { createScriptURL(address: string): string };
declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  }
}
