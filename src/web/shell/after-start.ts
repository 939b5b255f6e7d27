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
