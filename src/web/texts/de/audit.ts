import type { Translation } from '../../translation.ts';
import type { texts as english } from '../audit.ts';

export const texts: Translation<typeof english> = {
  title: 'Protokoll',
  about: 'Wer wann was geändert hat, und von wo aus. Einträge lassen sich nicht ändern.',
  filters: 'Protokoll filtern',
  actor: 'Wer: E-Mail oder Konto',
  action: 'Was',
  actions: {
    '': 'Alle Änderungen',
    key: 'Schlüssel',
    channel: 'Kanäle',
    alert: 'Alarme',
    heartbeat: 'Heartbeats',
    member: 'Mitglieder',
    device: 'Geräte',
    event: 'Ereignisse',
    session: 'Anmeldungen',
    workspace: 'Der Arbeitsbereich',
  },
  by: 'durch',
  onServer: 'auf dem Server',
  emptyTitle: 'Keine Einträge',
  emptyText: 'Kein Eintrag passt zu diesen Filtern, oder es wurde noch nichts geändert.',
};
