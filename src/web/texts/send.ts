import { plural, whole } from '../format/numbers.ts';

const devices = (count: number) => `${whole(count)} ${plural(count, 'device', 'devices')}`;

export const texts = {
  title: 'Send an event',
  noChannel: 'Events go to a channel, and none is active here.',
  makeChannel: 'Create or activate one',
  about: 'The event counts against the allowance, and the audit log shows that you sent it.',
  channel: 'Channel',
  headline: 'Title',
  text: 'Text',
  level: 'Level',
  urgency: 'Urgency',
  urgencies: { standard: 'Standard', time_sensitive: 'Urgent: may break through Focus' },
  more: 'More',
  url: 'Link',
  urlHint: 'A tap opens this link. It is passed on to the devices, not stored.',
  image: 'Image',
  imageHint: 'Address of a picture, with https. It is passed on to the devices, not stored.',
  type: 'Type',
  typeHint: 'A word for programs, such as disk.full.',
  collapse: 'Collapse key',
  collapseHint: 'A later event with the same key replaces this one on the device.',
  expires: 'Expires after',
  /** In seconds. Pairs, since objects reorder numeric names. */
  lives: [
    ['', 'Server default'],
    ['300', '5 minutes'],
    ['3600', 'An hour'],
    ['21600', '6 hours'],
    ['86400', 'A day'],
  ],
  sendAt: 'Send at',
  sendAtHint: (timeZone: string) =>
    `Leave it empty to send it now. Up to 30 days ahead, in the time zone ${timeZone}. Not with a link or an image.`,
  check: 'Check',
  goesTo: (count: number) =>
    count === 0
      ? 'The event is valid, but no device is subscribed to this channel, so it would reach no one.'
      : `The event is valid and goes to ${devices(count)}.`,
  waitsFor: (when: string, count: number) =>
    `The event is valid and will be sent on ${when}. It goes to the devices that are subscribed then (now ${devices(count)}).`,
  send: (count: number) => `Send to ${devices(count)}`,
  sent: (count: number) => `It is on its way to ${devices(count)}.`,
  schedule: 'Schedule',
  scheduled: (when: string) => `It will be sent on ${when}.`,
  seeScheduled: 'See or cancel it',
  see: 'Follow its deliveries',
} as const;
