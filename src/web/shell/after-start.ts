import { changes } from '../api/changes.ts';
import { connection } from '../api/connection.ts';
import { loadInbox } from '../api/events.ts';
import { live } from '../api/live.ts';
import { learnUnread, unread } from '../api/unread.ts';
import { keepChosenLanguage } from '../chosen-language.ts';
import { markedTogether } from '../inbox/marked-together.ts';
import { dismissPairing, pairing } from '../pairing.ts';
import { kept, wasSwitchedOff } from '../push/kept.ts';
import { checkThisDeviceIn, lastCheckIn } from '../push/this-device.ts';
import { session } from '../session.ts';
import { forgetEndedSessions } from './ended-session.ts';
import { keepFocus } from './keep-focus.ts';
import { watchForNewVersion } from './new-version.tsx';
import { listenForPlaceKeys } from './place-keys.ts';
import { retryKeptTaps } from './retry-kept-taps.ts';
import { startWorker } from './start-worker.ts';

/**
 * Starts everything that the first paint does not wait for: the worker, this browser as a device, live updates, the
 * unread count.
 */
export function afterStart(): void {
  forgetEndedSessions();
  void startWorker();
  keepChosenLanguage();
  void checkIn();
  session.state.listen(checkIn);
  // If the server was down at the start, it is not known yet who is signed in.
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
    // The next person must not see anything of this person.
    if (session.state.value.kind !== 'out') return;
    isCounted = false;
    learnUnread([]);
    markedTogether.value = null;
    wasSwitchedOff.value = false;
    lastCheckIn.value = null;
    // The subscription may change while the worker has no session to report it with.
    checkedInFor = null;
    // The next session does not need the welcome of an ended one.
    if (pairing.value?.kind === 'used') dismissPairing();
  });
  changes.listen((kind) => {
    if (kind === 'inbox' || kind === 'read' || kind === 'everything') countUnread();
  });
}

let isCounted = false;
/** Counts as soon as a user is signed in: the server reports only changes, and the first may be long in coming. */
function count(): void {
  if (session.state.value.kind !== 'in' || isCounted) return;
  isCounted = true;
  countUnread();
}

/** Loads the unread count, unless the open inbox loads it. An inbox that shows a single workspace does not. */
function countUnread(): void {
  const isShown = pairing.value === null && ['/', '/inbox'].includes(location.pathname);
  const isOfAll = !new URLSearchParams(location.search).has('workspace');
  if (!isShown || !isOfAll) void loadInbox({}, { limit: 1 });
}

let checkedInFor: string | null = null;
/** Checks this device in once for each person, as soon as it is known who is signed in. */
async function checkIn(): Promise<void> {
  const { value: state } = session.state;
  if (kept.value === null || state.kind !== 'in' || state.person.user.email === checkedInFor) return;
  checkedInFor = state.person.user.email;
  await checkThisDeviceIn(state.person.user.email);
}

/**
 * Shows the unread count on the icon of the installed app, if the system can. On iOS only a page may do so, not the
 * worker.
 */
function showBadge(): void {
  void navigator.setAppBadge?.(unread.value.events).catch(() => undefined);
}
