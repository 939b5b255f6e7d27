import type { Channel } from '../../store/calls.ts';
import type { Noun } from '../noun.ts';

export const CHANNEL: Noun<Channel> = {
  name: 'channel',
  plural: 'channels',
  columns: {
    SLUG: ({ slug }) => slug,
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    DEVICES: ({ device_count }) => device_count,
  },
  empty: 'No channels yet. Create one: pushctl channel create <workspace> <slug>',
};
