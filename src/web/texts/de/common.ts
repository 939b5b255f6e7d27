import { plural, whole } from '../../format/numbers.ts';
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
    overview: 'Übersicht',
    events: 'Ereignisse',
    send: 'Senden',
    channels: 'Kanäle',
    keys: 'Schlüssel',
    members: 'Mitglieder',
    heartbeats: 'Heartbeats',
    audit: 'Protokoll',
    manage: 'Verwalten',
    workspace: 'Arbeitsbereich:',
  },
  levels: { info: 'Info', success: 'Erfolg', warning: 'Warnung', error: 'Fehler' },
  urgent: 'dringend',
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
    signOut: 'Abmelden',
    back: 'Zurück zum Eingang',
  },
  problems: {
    offline: 'Keine Verbindung zum Netz. Sobald es eine gibt, geht es hier weiter.',
    shownFrom: (time) => `Zu sehen ist der Stand von ${time}.`,
    away: 'Der Server antwortet nicht, vielleicht startet er gerade neu. Die Verbindung wird von selbst wieder aufgebaut.',
    unreachable:
      'Dafür wird der Server gebraucht, und er ist zurzeit nicht erreichbar. Bitte gleich noch einmal versuchen.',
    refused:
      'Der Server hat das abgelehnt und keinen Grund genannt. Bitte noch einmal versuchen; mehr steht vielleicht in seinem Log.',
    part: 'Dieser Teil der App konnte nicht geladen werden.',
    signedOut: 'Die Sitzung ist beendet. Nach einer neuen Anmeldung geht es weiter.',
    waitS: (seconds) => `Nächster Versuch in ${whole(seconds)} ${plural(seconds, 'Sekunde', 'Sekunden')}.`,
  },
  switchedOff: 'Benachrichtigungen dieser App wurden im Browser abgeschaltet. Deshalb wird hier nichts mehr angezeigt.',
};
