import { whole } from '../format/numbers.ts';

export const outcomes = {
  pending: 'waiting',
  accepted: 'accepted',
  failed: 'failed',
  unregistered: 'unregistered',
  expired: 'expired',
  withdrawn: 'withdrawn',
  deferred: 'put off',
} as const;

export const noDevice = 'to no device';

export const reported = {
  shown: (count: number) => `${whole(count)} shown`,
  opened: (count: number) => `${whole(count)} opened`,
  wasShown: 'shown',
  wasOpened: 'opened',
} as const;

export const platforms: Readonly<Record<string, string>> = { ios: 'iOS', android: 'Android', web: 'Browser' };
