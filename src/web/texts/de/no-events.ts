import type { Translation } from '../../translation.ts';
import type { texts as english } from '../no-events.ts';

export const texts: Translation<typeof english> = {
  title: 'Noch keine Ereignisse',
  subscribe: 'Hier erscheinen Ereignisse der Kanäle, die mindestens eines Ihrer Geräte abonniert hat.',
  toDevices: 'Wählen Sie, was wo ankommt',
  send: 'Senden Sie das erste mit einem API-Schlüssel Ihres Arbeitsbereichs:',
  toKeys: (workspace) => `API-Schlüssel für ${workspace} ausstellen`,
  nonePass: 'Nichts gefunden',
  showAll: 'Alle Ereignisse anzeigen',
};
