import { whole } from '../../format/numbers.ts';
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

export const reported: Translation<typeof english.reported> = {
  shown: (count) => `${whole(count)} angezeigt`,
  opened: (count) => `${whole(count)} geöffnet`,
  wasShown: 'angezeigt',
  wasOpened: 'geöffnet',
};

export const platforms: Translation<typeof english.platforms> = { ios: 'iOS', android: 'Android', web: 'Browser' };
