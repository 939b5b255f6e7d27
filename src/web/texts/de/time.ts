import type { Translation } from '../../translation.ts';
import type { texts as english } from '../time.ts';

export const texts: Translation<typeof english> = {
  now: 'eben',
  today: 'Heute',
  yesterday: 'Gestern',
  tomorrow: 'Morgen',
  yesterdayAt: (clock) => `gestern, ${clock}`,
  tomorrowAt: (clock) => `morgen, ${clock}`,
  at: (clock) => `um ${clock}`,
};
