import type { Translation } from '../../translation.ts';
import type { texts as english } from '../channels.ts';

export const texts: Translation<typeof english> = {
  title: 'Kanäle',
  loading: 'Kanäle werden geladen',
  onNone: 'auf keinem Gerät',
  onAll: 'auf allen Geräten',
  onSome: (count, all) => `auf ${count} von ${all} Geräten`,
  channelOn: (channel, device) => `${channel} auf ${device}`,
  inactive: 'inaktiv: zurzeit wird nichts gesendet',
  noDevicesTitle: 'Noch kein Gerät',
  noDevices:
    'Benachrichtigungen brauchen ein Gerät, das sie anzeigt: diesen Browser zum Beispiel oder ein Telefon, auf dem man sich in einer App anmeldet.',
  toDevices: 'Diesen Browser hinzufügen',
  noneTitle: 'Noch keine Kanäle',
  none: 'Kanäle lassen sich abonnieren: Deployments, Backups, ein Shop. Wer den Arbeitsbereich verwaltet, legt sie an.',
  make: (workspace) => `Kanal in ${workspace} anlegen`,
};
