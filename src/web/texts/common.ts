import { listed } from '../format/locale.ts';
import { plural, whole } from '../format/numbers.ts';

/**
 * Texts of the frame and several rooms. Rooms' own are beside, German ones in `de/`. Texts with values are functions;
 * numbers, plurals and times come from `format/`.
 */
export const common = {
  app: 'pushctl',
  skip: 'Skip to the content',
  nav: {
    label: 'Main',
    inbox: 'Inbox',
    alerts: 'Alerts',
    devices: 'Devices',
    settings: 'Settings',
    channels: 'Channels',
    manage: 'Manage',
  },
  levels: { info: 'Info', success: 'Success', warning: 'Warning', error: 'Error' },
  urgent: 'urgent',
  /** The newest alert and the count, for screen readers. */
  opened: (title: string, count: number) =>
    count === 1 ? `New alert: ${title}` : `${whole(count)} new alerts: ${title}`,
  unread: 'Unread:',
  unreadCount: 'unread',
  openCount: 'open',
  channelGone: 'a deleted channel',
  actions: {
    tryAgain: 'Try again',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    cancel: 'Cancel',
    save: 'Save',
    reload: 'Reload',
    signOut: 'Sign out',
    back: 'Back to the inbox',
  },
  problems: {
    offline: 'You are offline. This page continues as soon as you are back online.',
    shownFrom: (time: string) => `This page shows data from ${time}.`,
    away: 'The server does not answer. It may be restarting. This page keeps trying.',
    unreachable: 'The server cannot be reached right now. Try again in a moment.',
    late: 'No answer yet.',
    part: 'This part of the app could not be loaded.',
  },
  newVersion: 'A new version of this app is available.',
  tapFailed: 'Not acknowledged: your tap on the notification failed.',
  switchedOff: 'Notifications for this app are switched off in the browser, so this device shows none.',
} as const;

export const help = {
  title: 'Keyboard shortcuts',
  keys: {
    '?': 'Show this help',
    '/': 'Search and filter',
    j: 'Next event',
    k: 'Previous event',
    Enter: 'Open the event',
    e: 'Resolve the alert, otherwise back to the inbox',
    s: 'Snooze the alert',
    z: 'Undo what you just did to alerts',
    u: 'Mark the event as unread',
    'g i': 'Go to the inbox',
    'g a': 'Go to the alerts',
    'g c': 'Go to the channels',
    'g d': 'Go to the devices',
    'g s': 'Go to the settings',
    Esc: 'Close what is open',
  },
} as const;

export const waiting = {
  waits: (names: readonly string[]) =>
    `${listed(names)} ${names.length === 1 ? 'is' : 'are'} waiting for your invitation link.`,
  open: 'Ask an admin of the workspace for the link, and open it here while you are signed in.',
  title: (name: string) => `${name} is waiting for your invitation link`,
  state: 'waiting for your invitation link: ask an admin of the workspace, and open the link here',
  as: (role: string) => `as ${role}: waiting for your invitation link`,
} as const;

export const refusal = {
  refused: 'The server refused this and did not say why. Try again, or check its log.',
  signedOut: 'You are signed out. Sign in again to continue.',
  waitS: (seconds: number) => `Try again in ${whole(seconds)} ${plural(seconds, 'second', 'seconds')}.`,
} as const;

export const notFound = {
  title: 'Nothing here',
  text: 'There is no such page. It may have moved, or the link is incomplete.',
} as const;

export const lists = {
  loading: 'Loading',
  undo: 'Undo',
  more: 'Show more',
  nothingFound: 'Nothing found',
  nothingFits: 'Nothing matches the search and filters.',
  noneYet: 'Nothing found so far.',
  lookFurther: 'Look further back',
  since: { label: 'Since', '': 'At any time', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' },
  notYours: {
    title: (workspace: string) => `Only owners and admins of ${workspace} see this`,
    text: 'You are a member: you get its events and choose which ones. To manage it, ask an owner to make you an admin.',
  },
  notThere: {
    title: 'No such workspace',
    text: 'You do not belong to a workspace of this name. Check the address, or ask one of its owners to invite you.',
  },
} as const;

/** Places missing in the common texts. */
export const places = {
  overview: 'Overview',
  events: 'Events',
  send: 'Send',
  heartbeats: 'Heartbeats',
  onCall: 'On call',
  keys: 'API keys',
  webhooks: 'Webhooks',
  members: 'Members',
  audit: 'Audit log',
  workspace: 'Workspace:',
} as const;

/** A thing's name for people, and its slug for programs. */
export const names = {
  slug: 'Slug',
  name: 'Name',
  nameHint: 'The name that people see. Leave it empty to use the slug.',
} as const;

export const channelSearch = {
  search: 'Search channels',
  none: 'No channel matches.',
  first: (count: string) => `The first ${count} channels are listed.`,
  more: 'Show more channels',
} as const;
