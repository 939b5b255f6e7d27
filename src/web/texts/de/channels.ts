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
    'Benachrichtigungen brauchen ein Gerät, das sie anzeigt: diesen Browser zum Beispiel oder ein Telefon, auf dem Sie sich in einer App anmelden.',
  toDevices: 'Diesen Browser hinzufügen',
  noneTitle: 'Noch keine Kanäle',
  none: 'Sie können Kanäle abonnieren: Deployments, Backups, ein Shop. Inhaber und Admins des Arbeitsbereichs legen sie an.',
  make: (workspace) => `Kanal in ${workspace} anlegen`,
};
