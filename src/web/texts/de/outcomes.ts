import type { Translation } from '../../translation.ts';
import type * as english from '../outcomes.ts';

export const outcomes: Translation<typeof english.outcomes> = {
  pending: 'wartet',
  accepted: 'angenommen',
  failed: 'fehlgeschlagen',
  unregistered: 'abgemeldet',
  expired: 'abgelaufen',
  withdrawn: 'zurückgezogen',
  deferred: 'aufgeschoben',
};

export const noDevice = 'an kein Gerät';

export const platforms: Translation<typeof english.platforms> = { ios: 'iOS', android: 'Android', web: 'Browser' };
