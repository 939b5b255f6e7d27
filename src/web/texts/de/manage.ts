import type { Translation } from '../../translation.ts';
import type { texts as english } from '../manage.ts';

export const texts: Translation<typeof english> = {
  loading: 'Wird geladen',
  undo: 'Rückgängig',
  more: 'Mehr anzeigen',
  nothingFound: 'Nichts gefunden',
  nothingFits: 'Nichts passt zu Suche und Filtern.',
  noneYet: 'Bisher nichts gefunden.',
  lookFurther: 'Weiter zurück suchen',
  since: {
    label: 'Zeitraum',
    '': 'Beliebiger Zeitraum',
    '24h': 'Letzte 24 Stunden',
    '7d': 'Letzte 7 Tage',
    '30d': 'Letzte 30 Tage',
  },
  notYours: {
    title: (workspace) => `Nur Inhaber und Admins von ${workspace} sehen das`,
    text: 'Sie sind Mitglied: Sie bekommen Ereignisse und wählen, welche. Um zu verwalten, bitten Sie einen Inhaber um die Rolle Admin.',
  },
  notThere: {
    title: 'Kein solcher Arbeitsbereich',
    text: 'Sie gehören zu keinem Arbeitsbereich dieses Namens. Prüfen Sie die Adresse, oder bitten Sie einen Inhaber um eine Einladung.',
  },
};
