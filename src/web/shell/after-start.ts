import { failedTap, retryTaps } from '../alerts/kept-taps.ts';
import { acknowledge } from '../api/alerts.ts';
import { changes } from '../api/changes.ts';
import { connection } from '../api/connection.ts';
import { loadInbox } from '../api/events.ts';
import { live } from '../api/live.ts';
import { learnUnread, unread } from '../api/unread.ts';
import { keepChosenLanguage } from '../chosen-language.ts';
import { browserNow } from '../clock.ts';
import { forgetSession } from '../forget.ts';
import { markedTogether } from '../inbox/read-all.tsx';
import { isForPage, KEPT_TAPS, SIGNED_OUT } from '../messages.ts';
import { kept, wasSwitchedOff } from '../push/kept.ts';
import { checkThisDeviceIn, lastCheckIn } from '../push/this-device.ts';
import { dismissPairing, LAST_WORKSPACE, LEFT_FOR_PROVIDER, pairing, session } from '../session.ts';
import { watchForNewVersion } from './banners.tsx';
import { listenForPlaceKeys } from './keys.ts';
import { goTo, hrefOfOwn } from './own-links.ts';

/** Starts what the first paint does not need: worker, device, live updates, unread count. */
export function afterStart(): void {
  forgetEndedSessions();
  void startWorker();
  keepChosenLanguage();
  void checkIn();
  session.state.listen(checkIn);
  // After a start without server, the user is not yet known.
  connection.restored.listen(() => void session.check());
  live.start();
  retryKeptTaps();
  listenForPlaceKeys();
  keepFocus();
  watchForNewVersion();
  unread.listen(showBadge);
  count();
  session.state.listen(count);
  session.state.listen(() => {
    // Hides everything from the next person.
    if (session.state.value.kind !== 'out') return;
    isCounted = false;
    learnUnread([]);
    markedTogether.value = null;
    wasSwitchedOff.value = false;
    lastCheckIn.value = null;
    // The subscription may change while the worker lacks a session.
    checkedInFor = null;
    // The next session needs no old welcome.
    if (pairing.value?.kind === 'used') dismissPairing();
  });
  changes.listen((kind) => {
    if (kind === 'inbox' || kind === 'read' || kind === 'everything') countUnread();
  });
}

let isCounted = false;
/** Counts at sign-in: the server reports only changes, and may take long. */
function count(): void {
  if (session.state.value.kind !== 'in' || isCounted) return;
  isCounted = true;
  countUnread();
}

/** Loads the unread count, unless an open inbox of all workspaces does. */
function countUnread(): void {
  const isShown = pairing.value === null && ['/', '/inbox'].includes(location.pathname);
  const isOfAll = !new URLSearchParams(location.search).has('workspace');
  if (!isShown || !isOfAll) void loadInbox({}, { limit: 1 });
}

let checkedInFor: string | null = null;
/** Checks this device in once per person, once known. */
async function checkIn(): Promise<void> {
  const { value: state } = session.state;
  if (kept.value === null || state.kind !== 'in' || state.person.user.email === checkedInFor) return;
  checkedInFor = state.person.user.email;
  await checkThisDeviceIn(state.person.user.email);
}

/** Shows the unread count on the app's icon, if supported. On iOS only pages may, not the worker. */
function showBadge(): void {
  void navigator.setAppBadge?.(unread.value.events).catch(() => undefined);
}

/** The last step. Steps run in turn: ending a session removes nothing of the next. */
let last: Promise<unknown> = Promise.resolve();

/** Forgets the person when a session ends anywhere. */
function forgetEndedSessions(): void {
  const { value: state } = session.state;
  session.state.listen(update);
  // The session may have ended before loading.
  if (state.kind === 'in' || (state.kind === 'out' && state.isOver)) update();
}

function update(): void {
  const { kind } = session.state.value;
  if (kind === 'out') forget();
  if (kind === 'in') last = last.then(() => globalThis.caches?.delete(SIGNED_OUT)).catch(() => undefined);
}

function forget(): void {
  localStorage.removeItem(LAST_WORKSPACE);
  sessionStorage.removeItem(LEFT_FOR_PROVIDER);
  last = last.then(() => forgetSession(navigator.serviceWorker?.getRegistration()));
}

let isTrying = false;

/** Repeats ineffective notification taps when the app opens, comes to the front, or reconnects. */
function retryKeptTaps(): void {
  session.state.listen(retry);
  connection.restored.listen(retry);
  document.addEventListener('visibilitychange', retry);
  // The worker opens an alert's page after an ineffective tap.
  globalThis.navigator.serviceWorker?.addEventListener('message', retry);
  void retry();
}

async function retry(): Promise<void> {
  if (session.state.value.kind !== 'in') {
    failedTap.value = null;
    return;
  }
  if (document.hidden || isTrying) return;
  isTrying = true;
  try {
    if (await globalThis.caches?.has(KEPT_TAPS))
      failedTap.value = await retryTaps(await caches.open(KEPT_TAPS), acknowledge, browserNow());
  } catch {
    // Without caches, there are no taps.
  } finally {
    isTrying = false;
  }
}

/** Allows the worker's address: with Trusted Types, `serviceWorker.register` rejects text. */
const policy = window.trustedTypes?.createPolicy('pushctl', { createScriptURL: () => '/sw.js' });

/** Starts the worker if possible, and opens clicked notifications' pages. */
async function startWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  // Browsers allow no worker on remote plain HTTP.
  if (serviceWorker === undefined) return;
  serviceWorker.addEventListener('message', ({ data }) => {
    const href = isForPage(data) ? hrefOfOwn(data.show, location.origin) : null;
    if (href !== null) goTo(href);
  });
  try {
    await serviceWorker.register(policy?.createScriptURL('/sw.js') ?? '/sw.js');
  } catch (error) {
    // The app works without it, pushes do not; the device's page says so.
    console.info('The service worker could not be registered.', error);
  }
}

type Policy = { createScriptURL(address: string): string };
declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  }
}

/** The last focus on the page. */
interface Place {
  readonly element: Element;
  readonly list: Element | null;
  /** Its row's index in the list. */
  readonly nth: number;
}

const ROW = 'li, [role="listitem"]';
const FOCUSABLE = 'a[href], summary, button, input, select, textarea';
/** Pages and dialogs take the focus within this time. */
const PATIENCE_MS = 50;

let lastFocus: Place | null = null;

/**
 * Keeps the focus on the page: a removed element's goes to the row in its place, else the title. Otherwise keyboards
 * and screen readers start at the top.
 */
function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    lastFocus = target instanceof Element ? placeOf(target) : null;
  });
  document.addEventListener('focusout', ({ target }) => {
    // The user has clicked beside the element.
    queueMicrotask(() => {
      if (isLost() && lastFocus?.element === target && lastFocus?.element.isConnected) lastFocus = null;
    });
  });
  new MutationObserver(() => {
    if (lastFocus !== null && !lastFocus.element.isConnected && isLost()) setTimeout(giveAgain, PATIENCE_MS);
  }).observe(document.body, { childList: true, subtree: true });
}

function giveAgain(): void {
  if (lastFocus === null || lastFocus.element.isConnected || !isLost()) return;
  const { list, nth } = lastFocus;
  const rows = list?.isConnected ? [...list.children].filter((row) => row.matches(ROW)) : [];
  const row = rows[Math.min(nth, rows.length - 1)];
  const title = document.querySelector<HTMLElement>('h1');
  (row?.querySelector<HTMLElement>(FOCUSABLE) ?? title)?.focus({ preventScroll: true });
}

function placeOf(element: Element): Place {
  const row = element.closest(ROW);
  const list = row?.parentElement ?? null;
  return { element, list, nth: row && list ? [...list.children].indexOf(row) : 0 };
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
