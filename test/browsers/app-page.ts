import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, KeyInput, Locator, Page } from 'puppeteer-core';
import type { Resources } from '../support/resources.ts';
import type { Team } from '../support/server.ts';
import { codeFor } from '../support/sign-in.ts';
import { DEADLINE_MS, until } from '../support/until.ts';
import { allowNotifications, untilShown } from './browser.ts';
import { emulatePushes, prepareForPushes } from './emulated-pushes.ts';
import type { BrowserInTest } from './story.ts';
import { startWebProxy } from './web-proxy.ts';

/** A page of the web app in a browser. */
export interface AppPage {
  readonly page: Page;
  /** Errors of the console, violations of the policy, and exceptions. */
  readonly faults: readonly string[];
  /** Fills in a field of what is open: of the dialog, where there is one. */
  fill(name: string, value: string): Promise<void>;
  /** Presses the button of the open dialog, or of the page's form, that does it. */
  submit(): Promise<void>;
  /** Clicks a button or what else has this role. */
  click(name: string, role?: string): Promise<void>;
  /** Taps a button with a finger. */
  tap(name: string): Promise<void>;
  /** Clicks what shows this text. */
  clickText(text: string): Promise<void>;
  /** Presses keys where nothing has the focus, which would take them for itself. Answers the path that this leads to. */
  press(...keys: readonly KeyInput[]): Promise<string>;
  /** Presses the button by which the browser becomes a device. */
  becomeDevice(): Promise<void>;
  /** Subscribes the device that is shown to this channel. */
  subscribe(channel: string): Promise<void>;
  /** Goes to an address within the app, as a link does: nothing is loaded again. */
  show(path: string): Promise<void>;
  /** Waits until the address, without the server, begins so; answers the whole of it. */
  isAt(start: string): Promise<string>;
  /** Waits until the page shows this text. */
  sees(text: string, promiseMs?: number): Promise<void>;
  /** Waits until it does not. */
  seesNo(text: string, promiseMs?: number): Promise<void>;
  /** Waits for a notification of this title. */
  notified(title: string): Promise<void>;
}

/**
 * The words of Chromium, then Firefox, for a failed request. Firefox also has some for an ended stream, a script that
 * is gone, and a file interrupted as the page was left.
 */
const UNREACHABLE =
  /^Failed to load resource|can’t establish a connection|was interrupted while the page was loading|^Error: Loading module from|Unable to preload CSS for|A ServiceWorker intercepted the request and encountered an unexpected error/;

/** A click does something, and hits: a part that comes moves what is below it. */
const isSettled = (element: Element): boolean =>
  !element.matches('[aria-disabled="true"]') && element.ownerDocument.querySelector('.skeleton') === null;

/** A channel of the device that is shown; the server has said so. */
const IS_SUBSCRIBED = `document.querySelector('.choices :checked:not([aria-disabled="true"])') !== null
  && !document.body.innerText.includes('Choose at least one channel')`;

const IS_DEVICE = `document.querySelector('.choices [type="checkbox"]') !== null
  || document.body.innerText.includes('Choose channels')`;

/** The notifications that the app shows, in order. */
export const TITLES = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => all.map(({ title }) => title).sort())`;

/** Logs to the console, as violations of the policy are events of the document. */
const LOG_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

/** With cookies of its own. */
export async function openApp(browser: Browser, opened: Resources): Promise<AppPage> {
  const context = await browser.createBrowserContext();
  opened.onEnd(() => context.close());
  return watched(await context.newPage());
}

/**
 * The address of the app in a story that becomes a device. Firefox takes no pushes in private windows, so no later
 * story may have its origin.
 */
export async function originForPushes({ name, server }: BrowserInTest, opened: Resources): Promise<string> {
  return name === 'chromium' ? server.url : opened.add(await startWebProxy(server.url)).url;
}

/** With cookies of its own, but in Firefox with those of all such pages. */
export async function openAppWithPushes(
  { name, browser, sandbox }: Pick<BrowserInTest, 'name' | 'browser' | 'sandbox'>,
  origin: string,
  opened: Resources,
): Promise<AppPage> {
  const isOwn = name === 'chromium';
  const context = isOwn ? await browser.createBrowserContext() : browser.defaultBrowserContext();
  if (isOwn) {
    opened.onEnd(() => context.close());
    await allowNotifications(context, origin);
    emulatePushes(context, sandbox, opened);
  }
  return watched(await newPage(context, opened));
}

/** Another tab beside this one, with the same cookies. */
export async function openTab({ page }: AppPage, opened: Resources): Promise<AppPage> {
  return watched(await newPage(page.browserContext(), opened));
}

async function newPage(context: BrowserContext, opened: Resources): Promise<Page> {
  const page = await context.newPage();
  opened.onEnd(() => page.close());
  await prepareForPushes(page);
  return page;
}

/** Signs in by a pairing link, as far as the inbox. `code`: used instead of a fresh code. */
export async function signIn(
  { page, click }: AppPage,
  url: string,
  team: Team,
  email = team.owner,
  code?: string,
): Promise<void> {
  await page.goto(`${url}/#pair=${code ?? (await codeFor(team, email))}`);
  await click('Sign in');
  await click('Go to the inbox');
  await page.waitForSelector('nav');
}

/** Opens the inbox of a person, with cookies of its own. */
export async function openSignedIn(
  { browser, server, team }: Pick<BrowserInTest, 'browser' | 'server' | 'team'>,
  opened: Resources,
  email?: string,
): Promise<AppPage> {
  const app = await openApp(browser, opened);
  await signIn(app, server.url, team, email);
  return app;
}

async function watched(page: Page): Promise<AppPage> {
  const faults: string[] = [];
  const found = (fault: string): void => {
    if (!UNREACHABLE.test(fault)) faults.push(fault);
  };
  page.setDefaultTimeout(DEADLINE_MS);
  page.on('console', (message) => {
    // The app handles refusals and unreachable servers itself.
    if (message.type() === 'error') found(message.text());
  });
  page.on('pageerror', (error) => found(String(error)));
  await page.evaluateOnNewDocument(LOG_VIOLATIONS);
  const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;
  const click = (name: string, role = 'button') =>
    attempted(page, `click on the ${role} "${name}"`, `::-p-aria([name="${name}"][role="${role}"])`, (found) =>
      found.filter(isSettled).click(),
    );
  async function press(...keys: readonly KeyInput[]): Promise<string> {
    await page.evaluate('document.activeElement.blur()');
    // At once: the app takes keys that come slowly after one another for single ones.
    await Promise.all(keys.map((key) => page.keyboard.press(key)));
    return String(await page.evaluate('location.pathname'));
  }
  async function isAt(start: string): Promise<string> {
    const address =
      await page.waitForFunction(`(location.pathname + location.search).startsWith(${JSON.stringify(start)})
        && location.pathname + location.search`);
    return String(await address.jsonValue());
  }
  return {
    page,
    faults,
    fill: (name, value) =>
      attempted(page, `fill in ${name}`, `:is(dialog[open], main > form) [name="${name}"]`, (field) =>
        field.fill(value),
      ),
    submit: () =>
      attempted(page, 'submit', ':is(dialog[open], main > form) :is([type="submit"], .danger)', (found) =>
        found.filter(isSettled).click(),
      ),
    click,
    tap: (name) =>
      attempted(page, `tap on the button "${name}"`, `::-p-aria([name="${name}"][role="button"])`, async (found) =>
        (await found.filter(isSettled).waitHandle()).tap(),
      ),
    clickText: (text) =>
      attempted(page, `click on "${text}"`, `::-p-text(${text})`, (found) => found.filter(isSettled).click()),
    press,
    async becomeDevice() {
      await click('Show notifications here');
      await holds(page, IS_DEVICE);
    },
    async subscribe(channel) {
      await click(channel, 'checkbox');
      await holds(page, IS_SUBSCRIBED);
    },
    async show(path) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('popstate'))`);
    },
    isAt,
    sees: (text, promiseMs) => holds(page, shows(text), promiseMs),
    seesNo: (text, promiseMs) => holds(page, `!${shows(text)}`, promiseMs),
    notified: (title) =>
      untilShown(`a notification "${title}"`, async () => {
        const titles = (await inPage(page, TITLES)) as readonly string[] | undefined;
        return titles?.includes(title) === true;
      }).catch((error) => fail(error.message, page)),
  };
}

/** Does it to the element that this selects, as soon as that is there. Throws with what the page shows instead. */
async function attempted(
  page: Page,
  what: string,
  selector: string,
  act: (found: Locator<Element>) => Promise<void>,
): Promise<void> {
  await act(page.locator(selector)).catch((error) => fail(`could not ${what}: ${error.message}`, page));
}

/** Waits until an expression is true in the page, also if the page is reloaded meanwhile. */
function holds(page: Page, expression: string, promiseMs?: number): Promise<void> {
  // While a page is loaded it has no body at first.
  const isTrue = async () => (await inPage(page, `document.body !== null && (${expression})`)) === true;
  return until(expression, isTrue, promiseMs).catch((error) => fail(error.message, page));
}

/** How long the app may wait before it tries again to reach the server (`LONGEST_WAIT_MS` in src/web/api/connection.ts). */
export const RECONNECTS_WITHIN_MS = 30_000;

/** The driver's error for an expression whose page is left meanwhile. */
const IS_LEFT = /Execution context was destroyed|Cannot find context/;

/** Evaluates an expression; undefined: its page was left. */
async function inPage(page: Page, expression: string): Promise<unknown> {
  return page.evaluate(expression).catch((error: Error) => {
    if (!IS_LEFT.test(error.message)) throw error;
  });
}

async function fail(why: string, page: Page): Promise<never> {
  throw new Error(`${why}, ${await shownIn(page)}`);
}

/** A page that hangs shows nothing. */
const ANSWER_MS = 5_000;

/** Returns the address of a page, its text, and the notifications of its app. */
async function shownIn(page: Page): Promise<string> {
  const all = `${TITLES}.catch(String).then((titles) => [location.href, document.body.innerText, titles].join('\\n'))`;
  const shown = page.evaluate(all).catch(String);
  return `where the page shows: ${await Promise.race([shown, pause(ANSWER_MS, 'no answer', { ref: false })])}`;
}
