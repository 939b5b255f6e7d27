import type { Translation } from '../../translation.ts';
import type { texts as english } from '../help.ts';

export const texts: Translation<typeof english> = {
  title: 'Tasten',
  keys: {
    '?': 'Diese Hilfe zeigen',
    '/': 'Suchen und filtern',
    j: 'Nächstes Ereignis',
    k: 'Voriges Ereignis',
    Enter: 'Ereignis öffnen',
    Esc: 'Schließen, was offen ist',
  },
};
