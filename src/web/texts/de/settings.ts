import type { Translation } from '../../translation.ts';
import type { texts as english } from '../settings.ts';

export const texts: Translation<typeof english> = {
  title: 'Einstellungen',
  account: 'Konto',
  signedInAs: (name, email) => (name === email ? email : `${name}, ${email}`),
  rename: {
    open: 'Namen ändern',
    name: 'Name',
    hint: 'Andere sehen ihn in allen Ihren Arbeitsbereichen.',
    save: 'Speichern',
  },
  notifications: {
    title: 'Benachrichtigungen in diesem Browser',
    openHere: 'Alarme hier öffnen',
    openHereHint:
      'Ein Tippen zeigt das Ereignis in dieser App, mit seinem Link als Knopf, statt dem Link zu folgen. Safari folgt ihm immer.',
  },
  appearance: 'Darstellung',
  language: 'Sprache',
  languageOfBrowser: 'Wie im Browser',
  schemes: { system: 'Wie im System', light: 'Hell', dark: 'Dunkel' },
  writing: {
    title: 'Datum und Zahlen',
    region: 'Schreibweise',
    browserRegion: 'Wie im Browser',
    timeZone: 'Zeitzone',
    browserZone: 'Wie im Browser',
    now: (time, number) => `Jetzt ist ${time}, und eine Zahl sieht so aus: ${number}.`,
  },
  keys: {
    title: 'Tasten',
    on: 'Einzelne Tasten wirken in diesem Browser',
    onHint:
      'Buchstaben wie j und e, solange nichts eingegeben wird: ? zeigt alle. Sie lassen sich abschalten, etwa bei Bedienung durch Sprache oder wenn Tasten aus Versehen gedrückt werden.',
  },
  pair: {
    title: 'Weiteres Gerät',
    text: 'Dort mit einem Code statt eines Passworts anmelden. Er gilt einmal, zwei Minuten lang.',
    make: 'Code erzeugen',
    again: 'Neuen Code erzeugen',
    qr: 'QR-Code des Links',
    scan: 'Mit dem anderen Gerät scannen, oder den Link dort öffnen:',
    type: 'Oder diesen Code eintippen, etwa in einer App auf dem Home-Bildschirm eines iPhones:',
    ends: 'Gültig bis',
  },
  sessions: {
    title: 'Angemeldet auf',
    loading: 'Sitzungen werden geladen',
    unknown: 'Ein unbekanntes Programm',
    current: 'hier',
    used: 'Zuletzt verwendet',
    vouchedFor: (places) => `für ${places.join(', ')}`,
    end: 'Beenden',
    question: (where) => `Sitzung von ${where} beenden?`,
    text: 'Sie ist sofort abgemeldet. Soll das Gerät auch nichts mehr anzeigen, muss es unter Geräte entfernt werden.',
  },
  password: {
    title: 'Passwort',
    text: 'Eine Änderung meldet überall sonst ab. Das Passwort meldet bei den Arbeitsbereichen an, die jetzt hier zu sehen sind.',
    change: 'Passwort ändern',
    current: 'Bisheriges Passwort',
    currentHint: 'Leer lassen, wenn es noch keines gibt.',
    new: 'Neues Passwort',
    newHint: 'Mindestens 8 Zeichen.',
    done: 'Das Passwort ist geändert, und alle anderen Sitzungen sind beendet.',
  },
  workspaces: {
    title: 'Arbeitsbereiche',
    roles: { owner: 'Inhaber', admin: 'Admin', member: 'Mitglied' },
    suspended: 'gesperrt',
    leave: 'Verlassen',
    question: (name) => `${name} verlassen?`,
    text: 'Die eigenen Geräte bekommen von dort nichts mehr. Wer den Arbeitsbereich verwaltet, kann wieder aufnehmen.',
    last: 'Es ist der letzte: Konto, Geräte und Sitzungen werden mit ihm gelöscht.',
  },
};
