import type { Translation } from '../../translation.ts';
import type { texts as english } from '../no-events.ts';

export const texts: Translation<typeof english> = {
  title: 'Noch keine Ereignisse',
  subscribe: 'Hier erscheinen Ereignisse der Kanäle, die mindestens ein eigenes Gerät abonniert hat.',
  toDevices: 'Wählen, was wo ankommt',
  send: 'Das erste lässt sich mit einem API-Schlüssel des Arbeitsbereichs senden:',
  toKeys: (workspace) => `Schlüssel für ${workspace} ausstellen`,
  nonePass: 'Nichts gefunden',
  showAll: 'Alle Ereignisse anzeigen',
};
