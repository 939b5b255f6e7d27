import type { Translation } from '../../translation.ts';
import type { texts as english } from '../quiet-hours.ts';

export const texts: Translation<typeof english> = {
  open: 'Ruhezeiten',
  openNamed: (channel) => `Ruhezeiten von ${channel}`,
  title: (channel) => `Ruhezeiten von ${channel}`,
  about:
    'In den Ruhezeiten kommen gewöhnliche Ereignisse ohne Ton an. Kein Ereignis wird zurückgehalten. Dringende Ereignisse und Erinnerungen melden sich wie immer. Wenn ein Kanal nur auf Ihren Geräten still sein soll, schalten Sie ihn dort stumm.',
  from: 'Von',
  to: 'Bis',
  toHint:
    'Wenn die Zeit nicht nach dem Beginn liegt, enden die Ruhezeiten am nächsten Tag. Zweimal dieselbe Zeit bedeutet den ganzen Tag.',
  days: 'Tage, an denen Ruhezeiten beginnen',
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
