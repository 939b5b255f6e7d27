import type { Translation } from '../../translation.ts';
import type { texts as english } from '../workspace-places.ts';

export const texts: Translation<typeof english> = {
  overview: 'Übersicht',
  events: 'Ereignisse',
  send: 'Senden',
  heartbeats: 'Heartbeats',
  onCall: 'Bereitschaft',
  keys: 'API-Schlüssel',
  webhooks: 'Webhooks',
  members: 'Mitglieder',
  audit: 'Protokoll',
  workspace: 'Arbeitsbereich:',
};
