import { plural, whole } from '../format/numbers.ts';

const devices = (count: number) => `${whole(count)} ${plural(count, 'device', 'devices')}`;

export const texts = {
  title: 'Send an event',
  noChannel: 'Events go to a channel, and none is active here.',
  makeChannel: 'Make or activate one',
  about: 'As a program would with a key: it counts, and the audit log says that it was you.',
  channel: 'Channel',
  headline: 'Title',
  text: 'Text',
  level: 'Level',
  urgency: 'Urgency',
  urgencies: { standard: 'Standard', time_sensitive: 'Urgent: may break through Focus' },
  more: 'More',
  url: 'Link',
  urlHint: 'Where a tap leads. It is passed on, and not stored.',
  image: 'Image',
  imageHint: 'Address of a picture, by https. It is passed on, and not stored.',
  type: 'Type',
  typeHint: 'A word for programs, such as disk.full.',
  collapse: 'Collapse key',
  collapseHint: 'A later event with the same one takes the place of this on the device.',
  expires: 'Expires after',
  /** In seconds. Pairs, since an object has names that are numbers first. */
  lives: [
    ['', 'What the server has set'],
    ['300', '5 minutes'],
    ['3600', 'An hour'],
    ['21600', '6 hours'],
    ['86400', 'A day'],
  ],
  check: 'Check',
  goesTo: (count: number) =>
    count === 0
      ? 'It is in order, but no device is subscribed to this channel: nobody would get it.'
      : `It is in order, and goes to ${devices(count)}.`,
  send: (count: number) => `Send to ${devices(count)}`,
  sent: (count: number) => `It is on its way to ${devices(count)}.`,
  see: 'See what becomes of it',
} as const;
