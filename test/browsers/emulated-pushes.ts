import type { BrowserContext, CDPSession, Page } from 'puppeteer-core';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import type { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { until } from '../support/until.ts';

/** Asks this file where Chromium would ask Google, which never answers here. */
const ASK_HERE = `(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));
  const made = ({ key, ...subscription }) => ({
    endpoint: subscription.endpoint,
    options: { userVisibleOnly: true, applicationServerKey: bytes(key).buffer },
    toJSON: () => subscription,
    unsubscribe: () => emulatedPushes('unsubscribe'),
  });
  const pushes = globalThis.PushManager?.prototype ?? {};
  pushes.getSubscription = () => emulatedPushes('find').then((found) => found && made(found));
  pushes.subscribe = ({ applicationServerKey }) => emulatedPushes('subscribe', applicationServerKey).then(made);
})()`;

/** The emulated pushes of each cookie jar. */
const OF_CONTEXT = new WeakMap<BrowserContext, EmulatedPushes>();

/** Gives Chromium subscriptions of the sandbox, and delivers what the sandbox receives for them by the DevTools protocol. */
export function emulatePushes(context: BrowserContext, sandbox: Sandbox, opened: Resources): void {
  const pushes = new EmulatedPushes(sandbox);
  OF_CONTEXT.set(context, pushes);
  const deliveries: Promise<void>[] = [];
  const stop = sandbox.onPush(({ token, payload }) => deliveries.push(pushes.deliver(token, JSON.stringify(payload))));
  opened.onEnd(() => {
    stop();
    return Promise.all(deliveries);
  });
}

/** Prepares a page before its first address. Does nothing if the browser has a push service. */
export async function prepareForPushes(page: Page): Promise<void> {
  await OF_CONTEXT.get(page.browserContext())?.prepare(page);
}

/** Drops what the push service accepts for a page's browser, until the answered function is called. */
export function dropPushes(page: Page): () => void {
  const pushes = OF_CONTEXT.get(page.browserContext());
  if (pushes === undefined) throw new Error('only emulated pushes can be dropped');
  pushes.areDropped = true;
  return () => {
    pushes.areDropped = false;
  };
}

class EmulatedPushes {
  areDropped = false;
  readonly #sandbox: Sandbox;
  /** The id of each registration, keyed by its scope. */
  readonly #registrations = new Map<string, string>();
  #session: CDPSession | null = null;
  #subscription: (BrowserSubscription & { readonly key: string }) | null = null;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async prepare(page: Page): Promise<void> {
    this.#session ??= await this.#follow(page);
    await page.exposeFunction('emulatedPushes', (what: 'find' | 'subscribe' | 'unsubscribe', key: string) =>
      this.#answer(what, key),
    );
    await page.evaluateOnNewDocument(ASK_HERE);
  }

  async deliver(endpoint: string, data: string): Promise<void> {
    if (this.areDropped || endpoint !== this.#subscription?.endpoint) return;
    await until('the worker is registered', () => this.#registrations.size > 0);
    const [[scope = '', registrationId = ''] = []] = this.#registrations;
    await this.#session?.send('ServiceWorker.deliverPushMessage', {
      origin: new URL(scope).origin,
      registrationId,
      data,
    });
  }

  async #follow(page: Page): Promise<CDPSession> {
    const session = await page.createCDPSession();
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { scopeURL, registrationId, isDeleted } of registrations) {
        if (isDeleted) this.#registrations.delete(scopeURL);
        else this.#registrations.set(scopeURL, registrationId);
      }
    });
    await session.send('ServiceWorker.enable');
    return session;
  }

  #answer(what: 'find' | 'subscribe' | 'unsubscribe', key: string): unknown {
    const { webpush } = this.#sandbox;
    if (what === 'subscribe') {
      const endpoint = this.#sandbox.token({ platform: 'web', service: 'webpush_google', vapidKey: key });
      this.#subscription ??= { endpoint, keys: webpush.keysOf(endpoint), key };
    }
    if (what !== 'unsubscribe') return this.#subscription;
    if (this.#subscription !== null) webpush.unsubscribe(this.#subscription.endpoint);
    this.#subscription = null;
    return true;
  }
}
