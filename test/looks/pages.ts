import type { AppAddress } from '../../src/contract/app-addresses.ts';
import { APP_ADDRESSES } from '../../src/contract/app-addresses.ts';
import type { AppPage } from '../browsers/app-page.ts';
import { goOffline } from '../browsers/offline.ts';
import { ADA } from '../support/cast.ts';
import { codeFor } from '../support/sign-in.ts';
import { FILLS, type Fill, type Place, type Scene } from './scene.ts';

/** A page to look at: an address, and the steps before. */
export interface Look {
  readonly name: string;
  readonly address: string;
  /** The fill that has the page; absent: both. */
  readonly fill?: Fill;
  readonly isSignedOut?: true;
  /** Answers how to undo it, where a next page would be another by it. */
  readonly reach?: (app: AppPage) => Promise<(() => Promise<unknown>) | undefined>;
}

/** Each address of the app, so that a new one is looked at as well. */
const PARTS = /\{(\w+)\}/g;
const OF_ADDRESSES: readonly Look[] = APP_ADDRESSES.filter((address) => address !== '/inbox').map((address) => ({
  name: nameOf(address),
  address,
}));

const click =
  (...selectors: readonly string[]) =>
  async ({ page }: AppPage): Promise<undefined> => {
    for (const selector of selectors) {
      // The driver clicks at a place, where a phone's bar may lie above what is meant.
      await page.waitForSelector(selector);
      await page.$eval(selector, (element) => element.scrollIntoView({ block: 'center' }));
      await page.locator(selector).click();
    }
  };
const dialog = (address: AppAddress, fill: Fill, name: string, ...selectors: readonly string[]): Look => ({
  name: `${nameOf(address)}-${name}`,
  address,
  fill,
  reach: click(...selectors),
});
const MENU = '.row-menu > summary';
const MAINTENANCE = 'h2 + .actions';

const STATES: readonly Look[] = [
  { name: 'not-found', address: '/nowhere-that-is' },
  { name: 'inbox-nothing-found', address: '/?q=nothing+like+it', fill: 'full' },
  { name: 'alert', address: '/events/{alert}', fill: 'full' },
  { name: 'alert-snoozing', address: '/events/{alert}', fill: 'full', reach: click('.alert-snooze') },
  { name: 'alert-own-devices', address: '/events/{alert}', fill: 'full', reach: scrollToDevices },
  { name: 'event-for-many', address: '/w/{workspace}/events/{newest}', fill: 'full' },
  { name: 'event-of-a-member', address: '/w/{workspace}/events/{newest}', fill: 'full', reach: chooseMember },
  { name: 'overview-a-year', address: '/w/{workspace}?since=365d', fill: 'full' },
  dialog('/', 'full', 'filter', '.page-bar [aria-expanded]'),
  { name: 'help', address: '/', reach: askForHelp },
  dialog('/channels', 'full', 'mute', '.channel > summary', '.choice > button'),
  dialog('/w/{workspace}/channels', 'full', 'new', '.page-bar .primary'),
  dialog('/w/{workspace}/channels', 'full', 'menu', MENU),
  dialog('/w/{workspace}/channels/{channel}', 'full', 'reminders', '.actions > button:nth-of-type(2)'),
  dialog('/w/{workspace}/channels/{channel}', 'full', 'maintenance', `${MAINTENANCE} > button`),
  dialog('/w/{workspace}/channels/{channel}', 'full', 'maintenance-plan', `${MAINTENANCE} > button + button`),
  dialog('/w/{workspace}/channels/{channel}', 'full', 'maintenance-change', '.entry .actions > button'),
  {
    name: 'workspace-channels-channel-maintenance-recurring',
    address: '/w/{workspace}/channels/{channel}',
    fill: 'full',
    reach: planBySchedule,
  },
  dialog('/w/{workspace}/heartbeats', 'full', 'new', '.page-bar .primary'),
  dialog('/w/{workspace}/heartbeats', 'full', 'open', '.fold > summary'),
  dialog('/w/{workspace}/on-call', 'full', 'new', '.end .primary'),
  dialog('/w/{workspace}/on-call', 'full', 'take', '.entry .actions > button'),
  dialog('/w/{workspace}/keys', 'full', 'issue', '.page-bar .primary'),
  dialog('/w/{workspace}/webhooks', 'full', 'new', '.page-bar .primary'),
  dialog('/w/{workspace}/webhooks', 'full', 'menu', MENU),
  dialog('/w/{workspace}/send', 'full', 'more', 'main form summary'),
  dialog('/w/{workspace}/members', 'full', 'invite', '.page-bar .primary'),
  dialog('/w/{workspace}/members', 'full', 'menu', MENU),
  { name: 'offline', address: '/', reach: offline },
  { name: 'sign-in', address: '/', fill: 'empty', isSignedOut: true },
  { name: 'link', address: '/#pair=', fill: 'empty', isSignedOut: true },
  { name: 'welcome', address: '/#pair=', fill: 'empty', isSignedOut: true, reach: click('.actions .primary') },
];

export const LOOKS: readonly Look[] = [...OF_ADDRESSES, ...STATES];

export async function addressOf({ address }: Look, { team }: Scene, place: Place): Promise<string> {
  const path = address.replaceAll(PARTS, (_, part: keyof Place) => encodeURIComponent(place[part]));
  return path.endsWith('=') ? `${path}${await codeFor(team, place.email)}` : path;
}

export function fillsOf({ fill }: Look): readonly Fill[] {
  return fill === undefined ? FILLS : [fill];
}

async function chooseMember({ page }: AppPage): Promise<undefined> {
  await page.locator('input[name="member"]').fill(ADA);
  await page.locator('main form [type="submit"]').click();
  await page.waitForSelector('[aria-live="polite"] .entry-state');
}

async function scrollToDevices({ page }: AppPage): Promise<undefined> {
  await page.waitForSelector('.alert-steps + .hint');
  await page.$$eval('.alert-steps + .hint', (hints) => hints.at(-1)?.scrollIntoView({ block: 'center' }));
}

async function planBySchedule(app: AppPage): Promise<undefined> {
  await click(`${MAINTENANCE} > button + button`)(app);
  await app.page.waitForSelector('dialog select');
  await app.page.select('dialog select', 'cron');
  await app.page.waitForSelector('dialog [name="cron"]');
}

async function askForHelp({ page }: AppPage): Promise<undefined> {
  await page.keyboard.type('?');
}

async function offline({ page }: AppPage): Promise<() => Promise<unknown>> {
  await page.waitForFunction('navigator.serviceWorker.controller !== null');
  await page.waitForFunction(`caches.match('/kept/inbox').then((kept) => kept !== undefined)`);
  const goOnline = await goOffline(page);
  await page.reload();
  return goOnline;
}

function nameOf(address: string): string {
  return address === '/'
    ? 'inbox'
    : address.slice(1).replace('w/{workspace}', 'workspace').replaceAll(/[{}]/g, '').replaceAll('/', '-');
}
