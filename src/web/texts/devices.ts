import { plural, whole } from '../format/numbers.ts';
import type { Obstacle } from '../push/obstacle.ts';

interface Words {
  readonly title: string;
  readonly text: string;
}

const obstacles: Readonly<Record<Obstacle, Words>> = {
  insecure: {
    title: 'This address is not encrypted',
    text: 'Browsers accept push notifications only over https with a trusted certificate. Open the app at such an address, or ask the people who run this server for it.',
  },
  'install-first': {
    title: 'Add this app to the Home Screen first',
    text: 'On an iPhone or iPad, only installed apps get notifications. In Safari, choose Share, then Add to Home Screen. Open the app from there and sign in with a code, because the installed app does not share this sign-in. You can make a code in Settings.',
  },
  unsupported: {
    title: 'This browser does not support notifications',
    text: 'It may be a private window, an old version, or a browser built without push. Open this address in Firefox, Chrome, Edge or Safari.',
  },
  denied: {
    title: 'Notifications are blocked for this address',
    text: 'The browser will not ask again by itself. Open the site settings (the symbol left of the address), allow notifications, and reload this page.',
  },
};

export const devices = {
  title: 'Devices',
  here: 'This browser',
  obstacles,
  notConfigured: {
    title: 'This server cannot send to browsers yet',
    text: 'Push services require a contact address. The people who run this server set it in its configuration, as webpush.contact. Phones with an app are not affected.',
  },
  offer: {
    title: 'Get notifications in this browser',
    text: 'Events of the channels you choose show as notifications here, even when no tab of this app is open. The browser asks you once. You can turn notifications off at any time.',
    add: 'Show notifications here',
    adding: 'Asking the browser …',
    mayTakeLong: 'The push service of the browser may take half a minute.',
  },
  checkFailed:
    'The app could not check whether notifications still reach this browser. It tries again when it next starts.',
  subscribedTo: 'Channels shown here',
  subscribedToThere: 'Channels shown there',
  subscribedToOn: (device: string) => `Channels shown there: ${device}`,
  subscribeNext: 'Choose at least one channel, or nothing will be shown.',
  others: 'Your other devices',
  noOthers: 'None. Sign in on another device, or make a code for a phone in Settings.',
  numbered: 'Devices of the same name are numbered in the order in which they were added.',
  loading: 'Loading devices',
  platforms: { ios: 'iPhone or iPad', android: 'Android', web: 'Browser' },
  seen: 'Last seen',
  lastShown: 'Last shown',
  managersSee: 'Owners and admins see when a device showed and opened an alert.',
  notShowing: 'Not showing since',
  notShowingFix:
    'The push service accepts alerts for this device, but the device does not report that it shows them. Open the app on it, and send a test. If nothing appears, remove the device there and add it again.',
  inactive: (reason: string | null) =>
    `This device no longer gets notifications${reason === null ? '' : ` (${reason})`}. Open the app on it to switch it on again.`,
  channels: (count: number) => `${whole(count)} ${plural(count, 'channel', 'channels')}`,
  test: 'Send a test',
  tested: 'A test is on its way. If it does not appear within a minute, check whether the system blocks notifications.',
  rename: 'Rename',
  name: 'Name of the device',
  remove: 'Remove',
  removeQuestion: (name: string) => `Remove ${name}?`,
  removeText:
    'It no longer gets notifications, and its subscriptions are deleted. It stays signed in; you can end that session in Settings.',
  channelInactive: 'inactive',
} as const;

export const push = {
  notAllowed: 'The browser may not show notifications yet. Nothing has changed; you can try again at any time.',
  noAnswer:
    "The browser's push service does not answer. Some browsers have none, and some networks block it. Try again, or use another browser.",
  refused: (why: string) =>
    `The browser could not subscribe to pushes: ${why}. Private windows and some browsers do not allow it; try another.`,
} as const;

export const channels = {
  title: 'Channels',
  loading: 'Loading channels',
  onNone: 'on none of your devices',
  onAll: 'on all of your devices',
  onSome: (count: string, all: string) => `on ${count} of your ${all} devices`,
  channelOn: (channel: string, device: string) => `${channel} on ${device}`,
  inactive: 'inactive: nothing is sent at the moment',
  noDevicesTitle: 'You have no device yet',
  noDevices: 'Notifications need a device. Start with this browser, or sign in with an app on a phone.',
  toDevices: 'Add this browser',
  noneTitle: 'No channels yet',
  none: 'A channel is a topic to subscribe to, such as deploys or backups. Owners and admins of the workspace create them.',
  make: (workspace: string) => `Create one in ${workspace}`,
  heartbeats: (workspace: string) => `Heartbeats of ${workspace}`,
} as const;

export const mutes = {
  mute: 'Mute',
  title: (channel: string) => `Mute ${channel}`,
  anHour: 'For an hour',
  untilEight: (time: string) => `Until ${time}`,
  forGood: 'Until I unmute it',
  unmute: 'Unmute',
  atAllTimes: 'At all other times',
  allLevels: 'Events of all levels',
  /** Events that still arrive, by lowest level. */
  levels: {
    success: 'All but informational events',
    warning: 'Warnings and errors only',
    error: 'Errors only',
  },
  until: (time: string) => `Muted until ${time}`,
  untilFurtherNotice: 'Muted until further notice',
  afterwards: (muted: string, level: string) => `${muted}. After that: ${level}`,
} as const;
