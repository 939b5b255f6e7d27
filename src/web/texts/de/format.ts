import type { Translation } from '../../translation.ts';
import type * as english from '../format.ts';

export const language = 'de';

export const time: Translation<typeof english.time> = {
  now: 'eben',
  today: 'Heute',
  yesterday: 'Gestern',
  tomorrow: 'Morgen',
  yesterdayAt: (clock) => `gestern, ${clock}`,
  tomorrowAt: (clock) => `morgen, ${clock}`,
  at: (clock) => `um ${clock}`,
};

export const browser: Translation<typeof english.browser> = { on: (browser, system) => `${browser} auf ${system}` };

export const page: Translation<typeof english.page> = {
  noScript: 'Die App von pushctl braucht JavaScript. Ereignisse zeigt auch die Kommandozeile: pushctl event list.',
};
