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
    openHere: 'Benachrichtigungen hier öffnen',
    openHereHint:
      'Ein Tippen zeigt dann das Ereignis in dieser App, mit seinem Link als Knopf. Sonst öffnet ein Tippen den Link. Safari öffnet immer den Link.',
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
    title: 'Tastenkürzel',
    on: 'Einzelne Tasten in diesem Browser verwenden',
    onHint:
      'Buchstaben wie j und e wirken, solange Sie nichts eingeben. ? zeigt alle. Schalten Sie sie ab, wenn Sie den Browser mit der Stimme bedienen oder Tasten aus Versehen drücken.',
  },
  pair: {
    title: 'Weiteres Gerät',
    text: 'Melden Sie sich dort mit einem Code statt eines Passworts an. Der Code gilt einmal, zwei Minuten lang.',
    make: 'Code erzeugen',
    again: 'Neuen Code erzeugen',
    qr: 'QR-Code des Links',
    scan: 'Scannen Sie ihn mit dem anderen Gerät, oder öffnen Sie den Link dort:',
    type: 'Oder tippen Sie diesen Code ein, etwa in der App auf dem Home-Bildschirm eines iPhones:',
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
    text: 'Die Sitzung endet sofort. Um auch die Benachrichtigungen zu beenden, entfernen Sie das Gerät unter „Geräte“.',
  },
  password: {
    title: 'Passwort',
    text: 'Wenn Sie das Passwort ändern, werden Sie überall sonst abgemeldet. Das Passwort gilt für die Arbeitsbereiche, die Sie jetzt hier sehen.',
    change: 'Passwort ändern',
    current: 'Bisheriges Passwort',
    currentHint: 'Lassen Sie es leer, wenn es noch keines gibt.',
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
    text: 'Ihre Geräte bekommen von dort nichts mehr. Inhaber und Admins können Sie wieder aufnehmen.',
    last: 'Es ist Ihr letzter Arbeitsbereich: Ihr Konto, Ihre Geräte und Sitzungen werden mit ihm gelöscht.',
  },
};
