import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../workspace-devices.ts';

export const texts: Translation<typeof english> = {
  title: 'Geräte',
  device: 'Gerät',
  toAll: 'Alle Geräte',
  filters: 'Geräte filtern',
  search: 'Geräte durchsuchen',
  platform: 'Plattform',
  anyPlatform: 'Alle Plattformen',
  status: 'Zustand',
  statuses: { '': 'Aktiv und inaktiv', active: 'Aktiv', inactive: 'Inaktiv' },
  channel: 'Kanal',
  anyChannel: 'Alle Kanäle',
  active: 'aktiv',
  inactive: 'inaktiv',
  lastShown: 'Zuletzt angezeigt',
  notShowing: 'Zeigt nichts an seit',
  channels: (count) => (count === 0 ? 'kein Kanal' : `${whole(count)} ${plural(count, 'Kanal', 'Kanäle')}`),
  person: 'Mitglied',
  seen: 'Zuletzt gesehen',
  id: 'ID',
  sandbox: 'Apple-Sandbox',
  subscriptions: 'Kanäle, die dieses Gerät bekommt',
  noChannels: 'Es gibt noch keine Kanäle.',
  emptyTitle: 'Noch keine Geräte',
  emptyText:
    'Ein Gerät erscheint hier, wenn sich ein Mitglied darauf bei dieser App anmeldet und Benachrichtigungen erlaubt.',
};
