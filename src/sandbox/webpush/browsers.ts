import { randomBytes } from 'node:crypto';
import { type Mailbox, openMailbox } from './mailbox.ts';
import type { Subscriptions, TakenPush } from './subscriptions.ts';

/** What tests and demonstrations can do to the real browsers of a push service. */
export interface BrowserControl {
  /** How many are connected now. */
  readonly connected: number;
  /** Ends their connections. They come again by themselves, and get what was pushed in between. */
  disconnect(): void;
  /** Loses them, as a real service may: all of their subscriptions have ended. */
  forget(): void;
}

/** The browsers that one push service has met, by the name that it gave them. `M`: a message on its connection. */
export interface Browsers<M> extends BrowserControl {
  /** A name of a browser that it knows, or a new browser's. */
  meet(name: string | undefined): string;
  /** The browser has a new connection, which takes the place of any before. */
  connect(name: string, connection: BrowserConnection<M>): void;
  closed(name: string, connection: BrowserConnection<M>): void;
  confirm(name: string, id: string): void;
  /** The token of a subscription of one of its web apps. Asked again, as after a lost answer, it gives another one. */
  subscribe(name: string, app: string, vapidKey: string | null, messageOf: (push: TakenPush) => M): string;
  unsubscribe(name: string, app: string): void;
}

export interface BrowserConnection<M> {
  send(message: M, id: string): void;
  close(): void;
}

interface Browser<M> {
  readonly mailbox: Mailbox<M>;
  /** Tokens of its subscriptions, by web app. */
  readonly tokens: Map<string, string[]>;
  connection: BrowserConnection<M> | null;
}

/** `newName` makes one that no other browser has. */
export function openBrowsers<M>(
  subscriptions: Subscriptions,
  newName: () => string,
  wallMs: () => number,
): Browsers<M> {
  const browsers = new Map<string, Browser<M>>();

  function open(name: string): Browser<M> {
    const known = browsers.get(name);
    if (known !== undefined) return known;
    const browser: Browser<M> = { mailbox: openMailbox(wallMs), tokens: new Map(), connection: null };
    browsers.set(name, browser);
    return browser;
  }

  function unsubscribe({ tokens }: Browser<M>, app: string): void {
    for (const token of tokens.get(app) ?? []) subscriptions.end(token);
    tokens.delete(app);
  }

  function disconnect(): void {
    for (const { connection } of browsers.values()) connection?.close();
  }

  return {
    get connected() {
      return [...browsers.values()].filter(({ connection }) => connection !== null).length;
    },
    disconnect,
    forget() {
      for (const browser of browsers.values()) for (const app of [...browser.tokens.keys()]) unsubscribe(browser, app);
      disconnect();
      browsers.clear();
    },
    meet(name) {
      if (name !== undefined && browsers.has(name)) return name;
      const given = newName();
      open(given);
      return given;
    },
    connect(name, connection) {
      const browser = open(name);
      browser.connection?.close();
      browser.connection = connection;
      browser.mailbox.connect(connection.send);
    },
    closed(name, connection) {
      const browser = browsers.get(name);
      browser?.mailbox.disconnect(connection.send);
      if (browser?.connection === connection) browser.connection = null;
    },
    confirm: (name, id) => browsers.get(name)?.mailbox.confirm(id),
    subscribe(name, app, vapidKey, messageOf) {
      const browser = open(name);
      const token = randomBytes(60).toString('base64url');
      browser.tokens.set(app, [...(browser.tokens.get(app) ?? []), token]);
      subscriptions.add(token, vapidKey, (push) => {
        const { id, topic, ttlS } = push;
        const keepUntilMs = wallMs() + ttlS * 1000;
        browser.mailbox.put({ id, topic, keepUntilMs, subscription: token, frame: messageOf(push) });
      });
      return token;
    },
    unsubscribe(name, app) {
      const browser = browsers.get(name);
      if (browser !== undefined) unsubscribe(browser, app);
    },
  };
}
