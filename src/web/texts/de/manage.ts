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
    title: (workspace) => `Das sieht nur, wer ${workspace} verwaltet`,
    text: 'Mitglieder bekommen Ereignisse und wählen, welche. Wer auch verwalten möchte, bittet Inhaber um die Rolle Admin.',
  },
  notThere: {
    title: 'Kein solcher Arbeitsbereich',
    text: 'Dieses Konto gehört zu keinem Arbeitsbereich dieses Namens. Vielleicht stimmt die Adresse nicht; sonst nimmt einer der Inhaber neue Mitglieder auf.',
  },
};
