import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import puppeteer, { type Browser, type BrowserContext, type LaunchOptions, type Page } from 'puppeteer-core';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { DEADLINE_MS, until } from '../support/until.ts';
import { openSite, type Site } from './site.ts';

/** Real browsers, unchanged, whose pushes come from a sandbox. */

export type BrowserName = 'firefox' | 'chromium';

const LOOK_EVERY_MS = 1_000;

/**
 * Waits for what a browser shows. Looks seldom: where Chromium is asked just as it begins to show a notification, it forgets
 * that it does (`obsolete_notifications` in its content/browser/notifications/platform_notification_context_impl.cc).
 */
export function untilShown(what: string, isShown: () => Promise<unknown>): Promise<void> {
  return until(what, () => pause(LOOK_EVERY_MS).then(isShown));
}

/** A page of a site of its own, in a browser. */
export interface OpenPage {
  readonly page: Page;
  readonly site: Site;
  /** Subscribes by a click, as browsers demand. Throws the browser's words if it refuses. */
  subscribe(): Promise<BrowserSubscription>;
  unsubscribe(): Promise<void>;
  /** Waits for what its worker reported. */
  heard(what: { readonly shown?: string; readonly replaced?: string }): Promise<Readonly<Record<string, unknown>>>;
  /** Returns all notifications of the site. */
  notifications(): Promise<Notification[]>;
}

export interface Notification {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
}

/** The task for the page, as text, since the compiler knows no pages here. */
const UNSUBSCRIBE = `navigator.serviceWorker.ready
  .then(({ pushManager }) => pushManager.getSubscription())
  .then((subscription) => subscription.unsubscribe())`;
const NOTIFICATIONS = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`;

/** A name of this machine to which, other than to a loopback address, browsers trust nothing without HTTPS. */
export const PLAIN_HOST = 'plain.test';

const PROGRAMS: Readonly<Record<BrowserName, readonly string[]>> = {
  firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
  chromium: ['/usr/bin/chromium', '/usr/bin/google-chrome'],
};

/** The reason why a test cannot run in this browser; null: it can. */
export function browserObstacle(name: BrowserName): string | null {
  return programOf(name) === undefined ? `${PROGRAMS[name][0]} is not installed` : null;
}

export async function launch(name: BrowserName, sandbox: Sandbox, opened: Resources): Promise<Browser> {
  const executablePath = mortal(programOf(name) ?? '');
  const options = { headless: true, executablePath, userDataDir: temporaryFolder(), timeout: DEADLINE_MS } as const;
  return opened.add(await puppeteer.launch({ ...options, ...own(name, sandbox) }));
}

/** A program that the kernel ends with this process, however that ends: puppeteer starts it in a group of its own. */
function mortal(program: string): string {
  const script = join(temporaryFolder(), 'browser');
  writeFileSync(script, `#!/bin/sh\nexec setpriv --pdeathsig KILL -- '${program}' "$@"\n`, { mode: 0o755 });
  return script;
}

/** `vapidKey`: what it subscribes with. */
export async function openPage(browser: Browser, vapidKey: string, opened: Resources): Promise<OpenPage> {
  const site = opened.add(await openSite());
  await allowNotifications(browser.defaultBrowserContext(), site.origin);
  const page = await browser.newPage();
  page.setDefaultTimeout(DEADLINE_MS);
  await page.goto(`${site.origin}/?key=${vapidKey}`);
  return { page, site, ...actionsOn(page) };
}

function actionsOn(page: Page): Omit<OpenPage, 'page' | 'site'> {
  return {
    async subscribe() {
      await page.click('#subscribe');
      const subscribed = await page.waitForFunction(() => Reflect.get(globalThis, 'subscribed'));
      const { subscription, failure } = (await subscribed.jsonValue()) as { subscription: never; failure?: string };
      if (failure !== undefined) throw new Error(failure);
      return subscription;
    },
    async unsubscribe() {
      await page.evaluate(UNSUBSCRIBE);
    },
    async heard({ shown, replaced }) {
      const message = await page.waitForFunction(
        (title, endpoint) => {
          const all = Reflect.get(globalThis, 'heard') as { shown?: string; replaced?: string }[];
          return all.find((notification) =>
            title === null ? notification.replaced === endpoint : notification.shown === title,
          );
        },
        {},
        shown ?? null,
        replaced ?? null,
      );
      return (await message.jsonValue()) as Readonly<Record<string, unknown>>;
    },
    notifications: async () => (await page.evaluate(NOTIFICATIONS)) as Notification[],
  };
}

function programOf(name: BrowserName): string | undefined {
  return PROGRAMS[name].find((path) => existsSync(path));
}

/** Firefox is allowed notifications by its preferences. */
export async function allowNotifications(context: BrowserContext, origin: string): Promise<void> {
  if ((await context.browser().version()).startsWith('Chrome'))
    await context.overridePermissions(origin, ['notifications']);
}

function own(name: BrowserName, { webpush }: Sandbox): LaunchOptions {
  if (name === 'chromium') {
    // Its own sandbox does not work for root.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    return { args: [...webpush.chromium.switches, `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`, ...asRoot] };
  }
  const extraPrefsFirefox = {
    ...webpush.firefox.preferences,
    // Remote control switches it off where the profile does not say so.
    'dom.push.connection.enabled': true,
    'network.dns.localDomains': PLAIN_HOST,
    'permissions.default.desktop-notification': 1,
    'dom.push.retryBaseInterval': 200,
    'alerts.useSystemBackend': false,
  };
  return { browser: 'firefox', extraPrefsFirefox };
}
