import type { Translation } from '../../translation.ts';
import type { texts as english } from '../help.ts';

export const texts: Translation<typeof english> = {
  title: 'Tastenkürzel',
  keys: {
    '?': 'Diese Hilfe zeigen',
    '/': 'Suchen und filtern',
    j: 'Nächstes Ereignis',
    k: 'Voriges Ereignis',
    Enter: 'Ereignis öffnen',
    e: 'Alarm erledigen, sonst zurück zum Eingang',
    s: 'Alarm aufschieben',
    z: 'Letzte Aktion an Alarmen rückgängig machen',
    u: 'Ereignis als ungelesen markieren',
    'g i': 'Zum Eingang',
    'g a': 'Zu den Alarmen',
    'g c': 'Zu den Kanälen',
    'g d': 'Zu den Geräten',
    'g s': 'Zu den Einstellungen',
    Esc: 'Offenes schließen',
  },
};
