import { plural, whole } from '../format/numbers.ts';
import type { Obstacle } from '../push/obstacle.ts';

interface Words {
  readonly title: string;
  readonly text: string;
}

/** Why this browser can show nothing, and what to do about it. */
const obstacles: Readonly<Record<Obstacle, Words>> = {
  insecure: {
    title: 'This address is not encrypted',
    text: 'Browsers take pushes only where an address begins with https and its certificate is trusted. Open the app there, or ask whoever runs this server for that address.',
  },
  'install-first': {
    title: 'Add this app to the Home Screen first',
    text: 'On an iPhone or iPad only installed apps get pushes. In Safari choose Share, then Add to Home Screen. Open the app from there and sign in by typing a code, since it does not know of this sign-in: Settings makes one.',
  },
  unsupported: {
    title: 'This browser takes no pushes',
    text: 'It may be a private window, an old version, or a browser built without them. Open this address in Firefox, Chrome, Edge or Safari.',
  },
  denied: {
    title: 'Notifications are blocked for this address',
    text: 'The browser does not ask again by itself. Open what it knows of this site (the symbol left of the address), allow notifications there, and load this page again.',
  },
};

export const texts = {
  title: 'Devices',
  here: 'This browser',
  obstacles,
  notConfigured: {
    title: 'This server cannot send to browsers yet',
    text: 'Whoever runs it has to name a contact first, which push services ask for: webpush.contact in its settings. Phones with an app are not concerned.',
  },
  offer: {
    title: 'Get alerts in this browser',
    text: 'Events of the channels that you choose show as notifications here, also while no tab of this app is open. The browser asks you once. You can take it back at any time.',
    add: 'Show notifications here',
    adding: 'Asking the browser …',
  },
  checkFailed: 'It could not be checked whether pushes still come here. That is tried again at the next start.',
  subscribedTo: 'Alerts to show here',
  subscribeNext: 'Choose at least one channel, or nothing will be shown.',
  others: 'Your other devices',
  noOthers: 'None. Sign in on another one, or let a phone in from Settings.',
  loading: 'Loading devices',
  platforms: { ios: 'iPhone or iPad', android: 'Android', web: 'Browser' },
  seen: 'Last seen',
  inactive: (reason: string | null) =>
    `Gets nothing any more${reason === null ? '' : ` (${reason})`}. Open the app on it to switch it on again.`,
  channels: (count: number) => `${whole(count)} ${plural(count, 'channel', 'channels')}`,
  test: 'Send a test',
  tested:
    'A test is on its way. If it does not show within a minute, look whether the system holds back notifications.',
  rename: 'Rename',
  name: 'Name of the device',
  remove: 'Remove',
  removeQuestion: (name: string) => `Remove ${name}?`,
  removeText: 'It gets nothing any more, and its subscriptions are gone. Its sign-in stays; end that in Settings.',
  channelInactive: 'inactive',
} as const;
