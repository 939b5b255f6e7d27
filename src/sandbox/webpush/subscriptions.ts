import type { Route } from '../../push.ts';
import { parseJsonObject } from '../../values/json.ts';
import { lruCache } from '../../values/lru-cache.ts';
import type { IssuedToken } from '../answers.ts';
import { decryptPush, keyHashOf, readIssuedToken } from './issued.ts';

export interface TakenPush {
  readonly id: string;
  readonly body: Buffer;
  readonly ttlS: number;
  readonly topic: string | null;
}

/** A subscription of a browser or the sandbox itself. */
export interface Subscription {
  /** The sandbox subscription's decoded token; null: a real browser's. */
  readonly issued: IssuedToken | null;
  /** Returns whether pushes signed with this key may come. */
  isFor(vapidKey: string | null): boolean;
  deliver(push: TakenPush): void;
  /** null: unreadable here, since a browser has the keys, or made for others. */
  read(body: Buffer): Readonly<Record<string, unknown>> | null;
}

/** Deriving the sandbox's own keys is the slowest part. */
const REMEMBERED = 10_000;

/** A push service's subscriptions, by their endpoints' last part. */
export class Subscriptions {
  readonly #home: Route;
  readonly #ofBrowsers = new Map<string, Subscription>();
  readonly #ended = new Set<string>();
  readonly #ofSandbox = lruCache<string, Subscription>(REMEMBERED);

  constructor(home: Route) {
    this.#home = home;
  }

  find(token: string): Subscription | 'ended' | 'unknown' {
    if (this.#ended.has(token)) return 'ended';
    const known = this.#ofBrowsers.get(token) ?? this.#ofSandbox.get(token);
    if (known !== undefined) return known;
    const issued = openIssued(token, this.#home);
    if (issued !== null) this.#ofSandbox.set(token, issued);
    return issued ?? 'unknown';
  }

  /** `vapidKey` null: the browser got none. */
  add(token: string, vapidKey: string | null, deliver: Subscription['deliver']): void {
    const isFor = (given: string | null) => vapidKey === null || given === vapidKey;
    this.#ofBrowsers.set(token, { issued: null, isFor, deliver, read: () => null });
  }

  end(token: string): void {
    this.#ofBrowsers.delete(token);
    this.#ended.add(token);
  }
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
