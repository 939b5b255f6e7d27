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
    'Benachrichtigungen brauchen ein Gerät. Beginnen Sie mit diesem Browser, oder melden Sie sich auf einem Telefon in einer App an.',
  toDevices: 'Diesen Browser hinzufügen',
  noneTitle: 'Noch keine Kanäle',
  none: 'Ein Kanal ist ein Thema, das Sie abonnieren können, etwa Deployments oder Backups. Inhaber und Admins des Arbeitsbereichs legen Kanäle an.',
  make: (workspace) => `Kanal in ${workspace} anlegen`,
};
