import { randomBytes } from 'node:crypto';
import type { Subscriptions, TakenPush } from './subscriptions.ts';

/** Controls a push service's real browsers, for tests and demonstrations. */
export type BrowserControl = Pick<Browsers<never>, 'connected' | 'disconnect' | 'forget'>;

export interface BrowserConnection<M> {
  send(message: M, id: string): void;
  close(): void;
}

interface Browser<M> {
  readonly mailbox: Mailbox<M>;
  /** Its subscriptions' tokens, by web app. */
  readonly tokens: Map<string, string[]>;
  connection: BrowserConnection<M> | null;
}

/** A push service's browsers, by assigned name. `M`: a connection's message. */
export class Browsers<M> {
  readonly #subscriptions: Subscriptions;
  readonly #newName: () => string;
  readonly #wallMs: () => number;
  readonly #browsers = new Map<string, Browser<M>>();

  /** `newName` makes a unique name. */
  constructor(subscriptions: Subscriptions, newName: () => string, wallMs: () => number) {
    this.#subscriptions = subscriptions;
    this.#newName = newName;
    this.#wallMs = wallMs;
  }

  get connected(): number {
    return [...this.#browsers.values()].filter(({ connection }) => connection !== null).length;
  }

  /** Ends connections. Browsers reconnect and get missed pushes. */
  disconnect(): void {
    for (const { connection } of this.#browsers.values()) connection?.close();
  }

  /** Ends all subscriptions, as a real service may. */
  forget(): void {
    for (const [name, { tokens }] of this.#browsers) for (const app of [...tokens.keys()]) this.unsubscribe(name, app);
    this.disconnect();
    this.#browsers.clear();
  }

  /** Returns a known browser's name, or a new browser's. */
  meet(name: string | undefined): string {
    if (name !== undefined && this.#browsers.has(name)) return name;
    const given = this.#newName();
    this.#open(given);
    return given;
  }

  /** Replaces the browser's previous connection. */
  connect(name: string, connection: BrowserConnection<M>): void {
    const browser = this.#open(name);
    browser.connection?.close();
    browser.connection = connection;
    browser.mailbox.connect(connection.send);
  }

  closed(name: string, connection: BrowserConnection<M>): void {
    const browser = this.#browsers.get(name);
    browser?.mailbox.disconnect(connection.send);
    if (browser?.connection === connection) browser.connection = null;
  }

  confirm(name: string, id: string): void {
    this.#browsers.get(name)?.mailbox.confirm(id);
  }

  /** Returns a token for a web app's subscription. Repeated calls, as after lost answers, give new ones. */
  subscribe(name: string, app: string, vapidKey: string | null, messageOf: (push: TakenPush) => M): string {
    const { mailbox, tokens } = this.#open(name);
    const token = randomBytes(60).toString('base64url');
    tokens.set(app, [...(tokens.get(app) ?? []), token]);
    this.#subscriptions.add(token, vapidKey, (push) => {
      const { id, topic, ttlS } = push;
      const keepUntilMs = this.#wallMs() + ttlS * 1000;
      mailbox.put({ id, topic, keepUntilMs, subscription: token, frame: messageOf(push) });
    });
    return token;
  }

  unsubscribe(name: string, app: string): void {
    const tokens = this.#browsers.get(name)?.tokens;
    for (const token of tokens?.get(app) ?? []) this.#subscriptions.end(token);
    tokens?.delete(app);
  }

  #open(name: string): Browser<M> {
    const known = this.#browsers.get(name);
    if (known !== undefined) return known;
    const browser: Browser<M> = { mailbox: new Mailbox(this.#wallMs), tokens: new Map(), connection: null };
    this.#browsers.set(name, browser);
    return browser;
  }
}

/** A browser's push. `id`: the service's; `frame`: bytes on the connection. */
interface QueuedMessage<M> {
  readonly id: string;
  /** A newer message with the same subscription and topic replaces it. */
  readonly subscription: string;
  readonly topic: string | null;
  /** Kept until then for absent browsers; now or earlier: not at all. */
  readonly keepUntilMs: number;
  readonly frame: M;
}

type Send<M> = (message: M, id: string) => void;

/** A browser's messages: sent at once while connected, else kept (RFC 8030 5). */
export class Mailbox<M> {
  readonly #wallMs: () => number;
  readonly #kept = new Map<string, QueuedMessage<M>>();
  #send: Send<M> | null = null;

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs;
  }

  put(queued: QueuedMessage<M>): void {
    for (const older of this.#kept.values()) {
      if (this.#hasEnded(older) || isReplacement(queued, older)) this.#kept.delete(older.id);
    }
    this.#kept.set(queued.id, queued);
    this.#send?.(queued.frame, queued.id);
  }

  /** Sends everything unconfirmed on the browser's new connection. */
  connect(send: Send<M>): void {
    this.#send = send;
    for (const queued of [...this.#kept.values()]) {
      if (this.#hasEnded(queued)) this.#kept.delete(queued.id);
      else send(queued.frame, queued.id);
    }
  }

  /** Does nothing if another connection has replaced this. */
  disconnect(gone: Send<M>): void {
    if (this.#send === gone) this.#send = null;
  }

  /** The browser has it. */
  confirm(id: string): void {
    this.#kept.delete(id);
  }

  #hasEnded({ keepUntilMs }: QueuedMessage<M>): boolean {
    return keepUntilMs <= this.#wallMs();
  }
}

function isReplacement<M>(newer: QueuedMessage<M>, older: QueuedMessage<M>): boolean {
  return newer.topic !== null && newer.topic === older.topic && newer.subscription === older.subscription;
}
