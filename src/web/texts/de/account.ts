import type { Translation } from '../../translation.ts';
import type * as english from '../account.ts';

export const signIn: Translation<typeof english.signIn> = {
  title: 'Anmelden',
  over: 'Ihre Sitzung ist beendet: Sie haben sich in einem anderen Tab abgemeldet, sie wurde anderswo beendet, oder sie war zu lange unbenutzt. Melden Sie sich neu an, um fortzufahren.',
  withLink: 'Dieser Link meldet Sie hier an. Er gilt einmal.',
  withLinkHint:
    'Nach der Anmeldung sehen Sie, wessen Konto es ist. Verwenden Sie den Link nur, wenn Sie ihn angefordert haben.',
  replaces: (email) =>
    `Sie sind als ${email} angemeldet. Eine Einladung für dieses Konto kommt zur Sitzung hinzu. Ein Link für ein anderes Konto meldet Sie stattdessen dort an.`,
  useLink: 'Link verwenden',
  install: {
    title: 'Diese App zuerst zum Home-Bildschirm hinzufügen',
    why: 'Ein iPhone oder iPad zeigt Benachrichtigungen nur für eine App auf dem Home-Bildschirm. Diese App braucht den Code, und das Öffnen dieser Seite hat ihn nicht verbraucht.',
    add: 'Tippen Sie in Safari auf „Teilen“, dann auf „Zum Home-Bildschirm“.',
    open: 'Öffnen Sie pushctl vom Home-Bildschirm aus.',
    type: 'Geben Sie dort diesen Code ein. Er gilt einmal.',
    here: 'Sie können sich auch hier anmelden. Das verbraucht den Code, und Safari zeigt keine Benachrichtigungen.',
    stay: 'Trotzdem hier anmelden',
  },
  linkIsOld: 'Dieser Link wurde schon verwendet, ersetzt oder ist zu alt.',
  linkFailed: 'Bitten Sie den Absender um einen neuen Link, oder melden Sie sich auf andere Weise an.',
  otherwise: 'Auf andere Weise anmelden',
  keep: (email) => `Bei ${email} bleiben`,
  code: 'Kopplungscode',
  codeHint: 'Zehn Buchstaben und Ziffern. Ein Admin des Arbeitsbereichs bekommt ihn mit pushctl member pair.',
  byCode: 'Mit einem Code',
  byPassword: 'Mit einem Passwort',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  working: 'Anmeldung läuft …',
  signedInAs: (name) => `Sie sind als ${name} angemeldet`,
  whose:
    'Wenn das nicht Ihr Konto ist, melden Sie sich wieder ab: Der Absender des Links sähe sonst, was Sie hier tun.',
  isDevice: 'Benachrichtigungen erscheinen jetzt in diesem Browser. Wählen Sie noch, aus welchen Kanälen sie kommen.',
  toChannels: 'Kanäle wählen',
  toInbox: 'Zum Eingang',
  insecure:
    'Diese Adresse ist nicht verschlüsselt, deshalb behält der Browser hier keine Sitzung. Öffnen Sie die App unter https, oder auf dem Server selbst unter http://localhost. Ihr Link oder Code gilt dort noch.',
};

export const provider: Translation<typeof english.provider> = {
  signIn: (name) => `Mit ${name} anmelden`,
  confirm: (name) => `Mit ${name} bestätigen`,
  confirmHint: 'Danach sehen Sie diese Seite wieder. Wiederholen Sie dann, was Sie gerade tun wollten.',
  orCode: 'Mit einem Kopplungscode anmelden',
  under: 'Anmeldung läuft …',
  isYou: 'Bestätigt',
  isYouText: 'Das gilt zehn Minuten lang. Wiederholen Sie jetzt, was Sie tun wollten.',
  back: 'Zurück',
  again: 'Noch einmal versuchen',
  failed: 'Nicht angemeldet',
  home: 'Zur App',
  why: {
    cross_site: 'Eine andere Website hat Sie hierher geführt. Beginnen Sie die Anmeldung auf dieser Seite.',
    other_browser:
      'Diese Anmeldung wurde nicht in diesem Browser begonnen, eine andere kam dazwischen, oder sie hat länger als zehn Minuten gedauert. Beginnen Sie von vorn.',
    unavailable:
      'Der Anbieter ist zurzeit nicht erreichbar. Versuchen Sie es später noch einmal. Wenn das nicht hilft, kann Ihnen der Betreiber einen Kopplungscode geben (pushctl member pair).',
    denied: 'Der Anbieter hat die Anmeldung abgelehnt, oder sie wurde abgebrochen.',
    refused: 'Die Antwort des Anbieters war ungültig oder schon verbraucht. Beginnen Sie von vorn.',
    throttled:
      'Von hier sind zu viele Anmeldungen fehlgeschlagen. Warten Sie eine Viertelstunde, oder verwenden Sie einen Kopplungscode.',
    unverified:
      'Der Anbieter meldet Ihre E-Mail-Adresse nicht als bestätigt. Bestätigen Sie sie dort, oder bitten Sie den Betreiber um einen Kopplungscode.',
    not_member:
      'Der Anbieter kennt Sie, aber kein Arbeitsbereich hier hat ein Mitglied mit Ihrer dortigen E-Mail-Adresse. Bitten Sie einen Inhaber oder Admin, Sie hinzuzufügen.',
    linked_already:
      'Das Mitglied mit dieser E-Mail-Adresse ist mit einem anderen Konto beim Anbieter verknüpft. Der Betreiber kann das aufheben (pushctl member unlink).',
    not_fresh:
      'Der Anbieter hat nicht bestätigt, dass Sie sich gerade erst angemeldet haben. Verwenden Sie stattdessen einen Passkey oder Kopplungscode.',
  },
  whyElse: 'Die Anmeldung wurde nicht abgeschlossen. Beginnen Sie von vorn.',
};

export const identity: Translation<typeof english.identity> = {
  title: 'Identität bestätigen',
  text: 'Dafür ist eine frische Anmeldung nötig. Sie gilt zehn Minuten.',
  password: 'Passwort',
  pairing_code: 'Kopplungscode',
  codeHint:
    'Erzeugen Sie einen neuen Code auf einem anderen Ihrer Geräte oder auf dem Server mit pushctl member pair. Wenn Sie nur einen Arbeitsbereich haben, können auch dessen Admins einen erzeugen.',
  useCode: 'Stattdessen einen Kopplungscode verwenden',
  usePassword: 'Stattdessen das Passwort verwenden',
  confirm: 'Weiter',
};

export const passkeys: Translation<typeof english.passkeys> = {
  title: 'Passkeys',
  text: 'Melden Sie sich ohne Passwort an: mit dem Finger, dem Gesicht oder der PIN, mit denen Sie dieses Gerät entsperren. Ein Passkey gilt für die Arbeitsbereiche, die Sie jetzt hier sehen.',
  none: 'In diesem Browser gibt es keine Passkeys, die eine App verwenden kann.',
  add: 'Passkey hinzufügen',
  added: 'Hinzugefügt',
  used: 'Zuletzt verwendet',
  unnamed: 'Ein Passkey',
  givenUp: 'Es wurde kein Passkey angelegt: Die Abfrage wurde abgebrochen, oder dieses Gerät hat schon einen.',
  remove: 'Entfernen',
  question: (name) => `Passkey ${name} entfernen?`,
  removed: 'Er meldet Sie nicht mehr an. Bestehende Sitzungen bleiben angemeldet. Löschen Sie ihn auch auf dem Gerät.',
  signIn: 'Mit einem Passkey anmelden',
  use: 'Stattdessen einen Passkey verwenden',
  notGiven: 'Es wurde kein Passkey verwendet: Die Abfrage wurde abgebrochen, oder dieses Gerät hat keinen.',
};

export const settings: Translation<typeof english.settings> = {
  title: 'Einstellungen',
  account: 'Konto',
  signedInAs: (name, email) => (name === email ? email : `${name}, ${email}`),
  rename: {
    open: 'Namen ändern',
    name: 'Name',
    hint: 'Andere sehen ihn in allen Ihren Arbeitsbereichen.',
    save: 'Speichern',
  },
  calendar: {
    title: 'Kalender Ihrer Dienste',
    text: 'Kalenderprogramme lesen Ihre Dienste unter einer eigenen Adresse. Eine neue Adresse beendet die frühere.',
    make: 'Adresse anlegen',
    end: 'Adresse beenden',
    hint: 'Die Adresse wird nur einmal gezeigt. Alle, die sie haben, sehen Ihre Dienste. Google Kalender liest sie ein- bis zweimal am Tag.',
    ended: 'Die Adresse ist beendet.',
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
