import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type * as english from '../inbox.ts';

export const inbox: Translation<typeof english.inbox> = {
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

export const inboxFilters: Translation<typeof english.inboxFilters> = {
  label: 'Eingang filtern',
  search: 'Titel und Texte durchsuchen',
  workspace: 'Arbeitsbereich',
  allWorkspaces: 'Alle Arbeitsbereiche',
  channel: 'Kanal',
  allChannels: 'Alle Kanäle',
  level: 'Stufe',
  allLevels: 'Alle Stufen',
  withUnread: (channel, count) => `${channel} (${count} ungelesen)`,
  unread: 'Gelesen oder ungelesen',
  readToo: 'Gelesen und ungelesen',
  unreadOnly: 'Nur ungelesen',
};

export const noEvents: Translation<typeof english.noEvents> = {
  title: 'Noch keine Ereignisse',
  subscribe: 'Hier erscheinen Ereignisse der Kanäle, die mindestens eines Ihrer Geräte abonniert hat.',
  toDevices: 'Wählen Sie, was wo ankommt',
  send: 'Senden Sie das erste mit einem API-Schlüssel Ihres Arbeitsbereichs:',
  toKeys: (workspace) => `API-Schlüssel für ${workspace} ausstellen`,
  nonePass: 'Nichts gefunden',
  showAll: 'Alle Ereignisse anzeigen',
};

export const undoRead: Translation<typeof english.undoRead> = {
  wereRead: (count) => `${whole(count)} ${plural(count, 'Ereignis wurde', 'Ereignisse wurden')} als gelesen markiert.`,
  undo: 'Rückgängig',
};

export const chosenEvent: Translation<typeof english.chosenEvent> = {
  label: 'Ausgewähltes Ereignis',
  none: 'Wählen Sie ein Ereignis, um es hier zu sehen.',
};

export const event: Translation<typeof english.event> = {
  title: 'Ereignis',
  missing: 'Dieses Ereignis gibt es hier nicht',
  missingText:
    'Vielleicht ist es älter, als der Server Ereignisse aufbewahrt, sein Kanal wurde gelöscht, oder es war für jemand anderen. Die neuesten stehen im Eingang.',
  channel: 'Kanal',
  workspace: 'Arbeitsbereich',
  type: 'Typ',
  happened: 'Geschehen',
  received: 'Empfangen',
  replaces: 'Collapse-Key',
  timeline: 'Ergebnis je Gerät',
  id: 'ID',
  quiet: 'Ohne Ton',
  openLink: (host) => `${host} öffnen`,
  openImage: (host: string) => `Bild von ${host} zeigen`,
  markUnread: 'Als ungelesen markieren',
};

export const eventHead: Translation<typeof english.eventHead> = {
  noText: 'Dieses Ereignis hat nur einen Titel.',
  happened: 'Geschehen',
  received: 'empfangen',
};

export const reasons: Readonly<Record<keyof typeof english.reasons, string>> = {
  notice: 'sagt, wie ein Alarm endete oder wer ihn hat',
  acknowledged: 'der Alarm war bestätigt',
  maintenance: 'Wartung',
  ring_after: 'der Alarm hatte noch nicht geklingelt',
  quiet_hours: 'Ruhezeit',
  storm: 'der Kanal hatte so oft geklingelt, wie er darf',
  not_on_call: 'jemand anderes hat Bereitschaft',
};

export const quiet: Translation<typeof english.quiet> = {
  until: (reason, time) => `${reason} bis ${time}`,
  by: (reason, name) => `${reason}, von ${name}`,
  onCall: 'Bereitschaft',
  isOnCall: (name) => `${name} hat Bereitschaft`,
  isUnreachable: (name) => `${name} hat Bereitschaft und war nicht erreichbar, deshalb klingelte es bei allen`,
};

export const outcomes: Translation<typeof english.outcomes> = {
  pending: 'wartet',
  accepted: 'angenommen',
  failed: 'fehlgeschlagen',
  unregistered: 'abgemeldet',
  expired: 'abgelaufen',
  withdrawn: 'zurückgezogen',
  deferred: 'aufgeschoben',
};

export const noDevice = 'an kein Gerät';

export const reported: Translation<typeof english.reported> = {
  shown: (count) => `${whole(count)} angezeigt`,
  opened: (count) => `${whole(count)} geöffnet`,
  wasShown: 'angezeigt',
  wasOpened: 'geöffnet',
};

export const platforms: Translation<typeof english.platforms> = { ios: 'iOS', android: 'Android', web: 'Browser' };

export const maintenanceOn: Translation<typeof english.maintenanceOn> = {
  ofChannel: (channel, until) => `${channel}: Wartung bis ${until}`,
  left: (time) => `noch ${time}`,
  onlyFor: (key) => `nur ${key}`,
};
