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

/** What no first paint waits for: the worker, this browser as a device, live updates, how many events are unread. */
export function afterStart(): void {
  forgetEndedSessions();
  void startWorker();
  keepChosenLanguage();
  void checkIn();
  session.state.listen(checkIn);
  // A start without the server does not know who is signed in.
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
    // Nothing of one person is to be there for the next.
    if (session.state.value.kind !== 'out') return;
    isCounted = false;
    learnUnread([]);
    markedTogether.value = null;
    wasSwitchedOff.value = false;
    lastCheckIn.value = null;
    // The welcome of a session that has ended says nothing to the next one.
    if (pairing.value?.kind === 'used') dismissPairing();
  });
  changes.listen((kind) => {
    if (kind === 'inbox' || kind === 'read' || kind === 'everything') countUnread();
  });
}

let isCounted = false;
/** Once a user is signed in: what the server reports begins there, and a change may be long in coming. */
function count(): void {
  if (session.state.value.kind !== 'in' || isCounted) return;
  isCounted = true;
  countUnread();
}

/** The inbox counts when it loads itself, unless it shows one workspace alone. */
function countUnread(): void {
  const isShown = pairing.value === null && ['/', '/inbox'].includes(location.pathname);
  const isOfAll = !new URLSearchParams(location.search).has('workspace');
  if (!isShown || !isOfAll) void loadInbox({}, { limit: 1 });
}

let checkedInFor: string | null = null;
/** Where this browser is a device: once for each person, as soon as it is known who is signed in. */
async function checkIn(): Promise<void> {
  const { value: state } = session.state;
  if (kept.value === null || state.kind !== 'in' || state.person.user.email === checkedInFor) return;
  checkedInFor = state.person.user.email;
  await checkThisDeviceIn(state.person.user.email);
}

/** On the icon of the installed app, where the system has such a thing: a page sets it, as the worker may not on iOS. */
function showBadge(): void {
  void navigator.setAppBadge?.(unread.value.events).catch(() => undefined);
}
