import { whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { common as english } from '../common.ts';

export const common: Translation<typeof english> = {
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
