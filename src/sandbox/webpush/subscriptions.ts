import { parseJsonObject } from '../../json.ts';
import { lruCache } from '../../lru-cache.ts';
import type { Route } from '../../push.ts';
import type { IssuedToken } from '../token-header.ts';
import { decryptPush } from './decrypt.ts';
import { keyHashOf, readIssuedToken } from './issued.ts';

/** A push that a service took. */
export interface TakenPush {
  readonly id: string;
  readonly body: Buffer;
  readonly ttlS: number;
  readonly topic: string | null;
}

/** One that takes pushes: of a browser, or of the sandbox itself. */
export interface Subscription {
  /** What the token of a subscription of the sandbox's own encodes; null: it is a real browser's. */
  readonly issued: IssuedToken | null;
  /** Whether pushes that are signed with this key may come. */
  isFor(vapidKey: string | null): boolean;
  deliver(push: TakenPush): void;
  /** null: it cannot be read here, since its keys are a browser's, or since it was made for others. */
  read(body: Buffer): Readonly<Record<string, unknown>> | null;
}

/** The subscriptions of one push service, by the last part of their endpoints. */
export interface Subscriptions {
  find(token: string): Subscription | 'ended' | 'unknown';
  /** `vapidKey` null: the browser was given none. */
  add(token: string, vapidKey: string | null, deliver: (push: TakenPush) => void): void;
  end(token: string): void;
}

/** Deriving the keys of the sandbox's own takes longer than all the rest. */
const REMEMBERED = 10_000;

export function openSubscriptions(home: Route): Subscriptions {
  const ofBrowsers = new Map<string, Subscription>();
  const ended = new Set<string>();
  const ofSandbox = lruCache<string, Subscription>(REMEMBERED);

  function findIssued(token: string): Subscription | 'unknown' {
    const known = ofSandbox.get(token);
    if (known !== undefined) return known;
    const subscription = openIssued(token, home);
    if (subscription === null) return 'unknown';
    ofSandbox.set(token, subscription);
    return subscription;
  }

  return {
    find: (token) => (ended.has(token) ? 'ended' : (ofBrowsers.get(token) ?? findIssued(token))),
    add(token, vapidKey, deliver) {
      ofBrowsers.set(token, {
        issued: null,
        isFor: (given) => vapidKey === null || given === vapidKey,
        deliver,
        read: () => null,
      });
    },
    end(token) {
      ofBrowsers.delete(token);
      ended.add(token);
    },
  };
}

function openIssued(token: string, home: Route): Subscription | null {
  const issued = readIssuedToken(token);
  if (issued === null || issued.home !== home) return null;
  return {
    issued,
    isFor: (key) => issued.keyHash === null || (key !== null && keyHashOf(key) === issued.keyHash),
    deliver() {},
    read(body) {
      const text = decryptPush(body, issued.receiver);
      return text && parseJsonObject(text.toString());
    },
  };
}
