/** The outcomes of a push, in the words of all pages. */
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

export const platforms: Readonly<Record<string, string>> = { ios: 'iOS', android: 'Android', web: 'Browser' };
