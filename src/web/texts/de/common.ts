import { listed } from '../../format/locale.ts';
import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type * as english from '../common.ts';

export const common: Translation<typeof english.common> = {
  app: 'pushctl',
  skip: 'Zum Inhalt springen',
  nav: {
    label: 'Hauptmenü',
    inbox: 'Eingang',
    alerts: 'Alarme',
    devices: 'Geräte',
    settings: 'Einstellungen',
    channels: 'Kanäle',
    manage: 'Verwalten',
  },
  levels: { info: 'Info', success: 'Erfolg', warning: 'Warnung', error: 'Fehler' },
  urgent: 'dringend',
  opened: (title, count) => (count === 1 ? `Neuer Alarm: ${title}` : `${whole(count)} neue Alarme: ${title}`),
  unread: 'Ungelesen:',
  unreadCount: 'ungelesen',
  openCount: 'offen',
  channelGone: 'ein gelöschter Kanal',
  actions: {
    tryAgain: 'Erneut versuchen',
    close: 'Schließen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    cancel: 'Abbrechen',
    save: 'Speichern',
    reload: 'Neu laden',
    signOut: 'Abmelden',
    back: 'Zurück zum Eingang',
  },
  problems: {
    offline: 'Sie sind offline. Diese Seite macht weiter, sobald Sie wieder online sind.',
    shownFrom: (time) => `Diese Seite zeigt den Stand von ${time}.`,
    away: 'Der Server antwortet nicht. Vielleicht startet er neu. Diese Seite versucht es weiter.',
    unreachable: 'Der Server ist zurzeit nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    late: 'Noch keine Antwort.',
    part: 'Dieser Teil der App konnte nicht geladen werden.',
  },
  newVersion: 'Eine neue Version dieser App ist verfügbar.',
  tapFailed: 'Nicht übernommen: Der Tipp auf die Benachrichtigung ist fehlgeschlagen.',
  switchedOff: 'Benachrichtigungen dieser App sind im Browser abgeschaltet. Dieses Gerät zeigt keine mehr.',
};

export const help: Translation<typeof english.help> = {
  title: 'Tastenkürzel',
  keys: {
    '?': 'Diese Hilfe zeigen',
    '/': 'Suchen und filtern',
    j: 'Nächstes Ereignis',
    k: 'Voriges Ereignis',
    Enter: 'Ereignis öffnen',
    e: 'Alarm erledigen, sonst zurück zum Eingang',
    s: 'Alarm aufschieben',
    z: 'Letzte Aktion an Alarmen rückgängig machen',
    u: 'Ereignis als ungelesen markieren',
    'g i': 'Zum Eingang',
    'g a': 'Zu den Alarmen',
    'g c': 'Zu den Kanälen',
    'g d': 'Zu den Geräten',
    'g s': 'Zu den Einstellungen',
    Esc: 'Offenes schließen',
  },
};

export const waiting: Translation<typeof english.waiting> = {
  waits: (names) => `${listed(names)} ${names.length === 1 ? 'wartet' : 'warten'} auf Ihren Einladungslink.`,
  open: 'Bitten Sie einen Admin des Arbeitsbereichs um den Link, und öffnen Sie ihn hier, solange Sie angemeldet sind.',
  title: (name) => `${name}: Ihr Einladungslink fehlt noch`,
  state: 'Ihr Einladungslink fehlt noch: Bitten Sie einen Admin darum, und öffnen Sie ihn hier',
  as: (role) => `als ${role}: Ihr Einladungslink fehlt noch`,
};

export const refusal: Translation<typeof english.refusal> = {
  refused: 'Der Server hat das ohne Begründung abgelehnt. Versuchen Sie es noch einmal, oder prüfen Sie sein Log.',
  signedOut: 'Ihre Sitzung ist beendet. Melden Sie sich neu an.',
  waitS: (seconds) => `Bitte in ${whole(seconds)} ${plural(seconds, 'Sekunde', 'Sekunden')} noch einmal versuchen.`,
};

export const notFound: Translation<typeof english.notFound> = {
  title: 'Hier ist nichts',
  text: 'Diese Seite gibt es nicht. Vielleicht wurde sie verschoben, oder der Link ist unvollständig.',
};

export const lists: Translation<typeof english.lists> = {
  loading: 'Wird geladen',
  undo: 'Rückgängig',
  more: 'Mehr anzeigen',
  nothingFound: 'Nichts gefunden',
  nothingFits: 'Nichts passt zu Suche und Filtern.',
  noneYet: 'Bisher nichts gefunden.',
  lookFurther: 'Weiter zurück suchen',
  since: {
    label: 'Zeitraum',
    '': 'Beliebiger Zeitraum',
    '24h': 'Letzte 24 Stunden',
    '7d': 'Letzte 7 Tage',
    '30d': 'Letzte 30 Tage',
  },
  notYours: {
    title: (workspace) => `Nur Inhaber und Admins von ${workspace} sehen das`,
    text: 'Sie sind Mitglied: Sie bekommen Ereignisse und wählen, welche. Um zu verwalten, bitten Sie einen Inhaber um die Rolle Admin.',
  },
  notThere: {
    title: 'Kein solcher Arbeitsbereich',
    text: 'Sie gehören zu keinem Arbeitsbereich dieses Namens. Prüfen Sie die Adresse, oder bitten Sie einen Inhaber um eine Einladung.',
  },
};

export const places: Translation<typeof english.places> = {
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

export const names: Translation<typeof english.names> = {
  slug: 'Kürzel',
  name: 'Name',
  nameHint: 'Angezeigter Name. Leer: das Kürzel.',
};

export const channelSearch: Translation<typeof english.channelSearch> = {
  search: 'Kanäle suchen',
  none: 'Kein Kanal passt dazu.',
  first: (count) => `Die ersten ${count} Kanäle sind aufgeführt.`,
  more: 'Weitere Kanäle zeigen',
};
