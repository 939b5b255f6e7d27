import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { packagePath } from '../../../src/process/package.ts';

export const ORIGIN = 'https://push.example.com';

export interface Notified {
  readonly title: string;
  readonly silent?: boolean;
  readonly body?: string;
  readonly tag?: string;
  readonly data?: { readonly event_id?: string };
  readonly renotify?: boolean;
}

/** A subscription as the Push API has it. */
export function aSubscription(name: string, key: ArrayBuffer | null = new ArrayBuffer(65)) {
  const endpoint = `https://push.example.net/${name}`;
  return {
    endpoint,
    options: { applicationServerKey: key, userVisibleOnly: true },
    toJSON: () => ({ endpoint, keys: { p256dh: 'BP', auth: 'aa' } }),
  };
}
type Subscription = ReturnType<typeof aSubscription>;

interface Situation {
  /** Without one there is no network. */
  readonly server?: (path: string, options: RequestInit | undefined) => Response | Promise<Response>;
  readonly subscription?: Subscription | null;
  /** The things that a page has left, by cache and address. */
  readonly kept?: Readonly<Record<string, unknown>>;
  /** In the place of the browser's storage. */
  readonly caches?: object;
  readonly nowMs?: number;
  /** Timers end at once. */
  readonly isHurried?: boolean;
  /** Beyond so many the system drops what is shown, as Android does. */
  readonly most?: number;
}

/**
 * Runs the built worker with stand-ins for what it takes of a browser. Firefox's driver reaches no worker, and no driver
 * has a browser lose its storage.
 */
export function startWorker({
  server,
  subscription = null,
  kept = {},
  caches,
  nowMs,
  isHurried = false,
  most,
}: Situation = {}) {
  const listeners = new Map<string, (event: object) => void>();
  const shown: Notified[] = [];
  const asked: string[] = [];
  const subscribedWith: unknown[] = [];
  const opened: string[] = [];
  const storage = memoryOf(kept);
  let current = subscription;
  const registration = {
    async showNotification(title: string, options: object) {
      const { tag } = options as Notified;
      const same = shown.findIndex((other) => tag !== undefined && other.tag === tag);
      if (same >= 0) shown.splice(same, 1);
      const notification: Notified = {
        title,
        ...options,
        ...{ close: () => void (shown.includes(notification) && shown.splice(shown.indexOf(notification), 1)) },
      };
      if (most === undefined || shown.length < most) shown.push(notification);
    },
    getNotifications: async ({ tag }: { readonly tag?: string } = {}) =>
      shown.filter((other) => tag === undefined || other.tag === tag),
    pushManager: {
      getSubscription: async () => current,
      async subscribe({ applicationServerKey }: PushSubscriptionOptionsInit) {
        subscribedWith.push(applicationServerKey);
        current = aSubscription('made');
        return current;
      },
    },
  };
  class SetDate extends Date {
    static override now = () => nowMs ?? Date.now();
  }
  const self: Record<string, unknown> = {
    registration,
    caches: caches ?? storage.caches,
    location: new URL('/sw.js', ORIGIN),
    clients: { matchAll: async () => [], openWindow: async (address: string) => void opened.push(address) },
    async fetch(address: unknown, options?: RequestInit) {
      const path = String(address);
      asked.push(`${options?.method ?? 'GET'} ${path} ${options?.body ?? ''}`.trim());
      if (server === undefined) throw new TypeError('Failed to fetch');
      return server(path, options);
    },
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    // The work after a notification is shown may take seconds, for which no test waits.
    setTimeout: (act: () => void, ms: number) => {
      if (isHurried) return setTimeout(act);
      return ms <= 1_000 ? setTimeout(act, ms) : setTimeout(act, ms).unref();
    },
    ...{ URL, Response, clearTimeout, AbortSignal, Date: SetDate },
  };
  self.self = self;
  vm.runInNewContext(readFileSync(packagePath('dist', 'web', 'sw.js'), 'utf8'), self);

  /** Resolves when all that the event waits for has ended. */
  const fire = async (type: string, event: object): Promise<void> => {
    const work: unknown[] = [];
    listeners.get(type)?.({ ...event, waitUntil: (begun: unknown) => work.push(begun) });
    await Promise.all(work);
  };
  return {
    /** On the screen, the earliest first. */
    shown,
    /** Requests that it made: method, address and body. */
    asked,
    /** The keys with which it subscribed. */
    subscribedWith,
    /** Windows that it opened. */
    opened,
    /** The value that is kept under an address. */
    keptUnder: (address: string): unknown => storage.find(address),
    fire,
    push: (payload: unknown) => fire('push', { data: { text: () => JSON.stringify(payload) } }),
    /** Answers what it responds to a request with; null: it leaves that to the browser. */
    async request(path: string, mode = 'cors'): Promise<Response | null> {
      let response: Promise<Response> | null = null;
      const request = { method: 'GET', mode, url: new URL(path, ORIGIN).href };
      await fire('fetch', { request, respondWith: (coming: Promise<Response>) => (response = coming) });
      return response;
    },
  };
}

/** Storage of one cache for each first part of an address. */
function memoryOf(kept: Readonly<Record<string, unknown>>) {
  const texts = new Map(Object.entries(kept).map(([address, value]) => [address, JSON.stringify(value)]));
  const pathOf = (address: unknown) =>
    new URL(typeof address === 'object' ? Reflect.get(address ?? {}, 'url') : String(address), ORIGIN).pathname;
  const isOf = (cache: string) => (address: string) => address.startsWith(`/${cache}`);
  const cacheOf = (cache: string) => ({
    match: async (address: unknown) => found(pathOf(address)),
    put: async (address: unknown, response: Response) => void texts.set(pathOf(address), await response.text()),
    delete: async (address: unknown) => texts.delete(pathOf(address)),
    keys: async () => [...texts.keys()].filter(isOf(cache)).map((path) => ({ url: ORIGIN + path })),
  });
  const found = (path: string) => {
    const text = texts.get(path);
    return text === undefined ? undefined : new Response(text);
  };
  return {
    find: (path: string) => JSON.parse(texts.get(path) ?? 'null'),
    caches: {
      match: async (address: unknown) => found(pathOf(address)),
      open: async (cache: string) => cacheOf(cache),
      has: async (cache: string) => [...texts.keys()].some(isOf(cache)),
      keys: async () => [],
      delete: async () => false,
    },
  };
}
