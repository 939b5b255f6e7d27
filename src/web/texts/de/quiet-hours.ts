import type { Translation } from '../../translation.ts';
import type { texts as english } from '../quiet-hours.ts';

export const texts: Translation<typeof english> = {
  open: 'Ruhezeiten',
  openNamed: (channel) => `Ruhezeiten von ${channel}`,
  title: (channel) => `Ruhezeiten von ${channel}`,
  about:
    'Gewöhnliche Ereignisse kommen dann ohne Ton an. Zurückgehalten wird keines, und Dringendes und Erinnerungen melden sich wie immer. Soll ein Kanal nur auf Ihren Geräten still sein, schalten Sie ihn dort stumm.',
  from: 'Von',
  to: 'Bis',
  toHint: 'Am nächsten Tag, wenn es nicht später ist. Zweimal dieselbe Zeit ist der ganze Tag.',
  days: 'Tage, an denen sie beginnen',
  timeZone: 'Zeitzone',
  save: 'Speichern',
  noDay: 'Wählen Sie mindestens einen Tag.',
  switchOff: 'Ruhezeiten abschalten',
  fact: 'Ruhezeiten',
  none: 'keine',
  hours: (from, to) => `${from} bis ${to}`,
  allDay: 'Ganztags',
  everyDay: 'täglich',
  wereSet: (channel) => `${channel} hat jetzt Ruhezeiten.`,
  wereEnded: (channel) => `${channel} hat keine Ruhezeiten.`,
};
