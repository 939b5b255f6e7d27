import { whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../inbox.ts';

export const texts: Translation<typeof english> = {
  title: 'Eingang',
  readAll: 'Alle gelesen',
  filter: 'Filtern',
  earlier: 'Frühere Ereignisse anzeigen',
  searchedTo: (time) => `Durchsucht bis ${time}.`,
  repeats: (count) => `${whole(count)}-mal, einzeln zeigen`,
  end: 'Keine früheren Ereignisse.',
  ends: { resolved: 'erledigt', expired: 'abgelaufen', over: 'vorbei' },
  loading: 'Ereignisse werden geladen',
};
