import { whole } from '../format/numbers.ts';

/**
 * Texts of the frame and several pages. Pages' own are beside, German ones in `de/`. Texts with values are functions;
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
