import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../members.ts';

export const texts: Translation<typeof english> = {
  title: 'Mitglieder',
  loading: 'Mitglieder werden geladen',
  invite: 'Einladen',
  inviteTitle: 'Einladen',
  filters: 'Mitglieder filtern',
  search: 'Mitglieder durchsuchen',
  anyRole: 'Alle Rollen',
  reached: 'Geräte',
  reach: { '': 'Mit oder ohne Gerät', yes: 'Mit Gerät', no: 'Ohne Gerät' },
  devices: (count) => (count === 0 ? 'kein Gerät' : `${whole(count)} ${plural(count, 'Gerät', 'Geräte')}`),
  menu: (who) => `Mehr zu ${who}`,
  joined: 'Dabei seit',
  lastSeen: 'Zuletzt gesehen',
  neverSeen: 'nicht angemeldet',
  devicesTitle: 'Geräte',
  noDevices:
    'Keine: Kein Push kommt dort an. Ein Anmelde-Link öffnet die App, die anbietet, Benachrichtigungen zu zeigen.',
  sessionsTitle: 'Angemeldet auf',
  noSessions: 'Nirgends.',
  unknownProgram: 'Ein unbekanntes Programm',
  lastUsed: 'zuletzt verwendet',
  toAll: 'Alle Mitglieder',
  emails: 'E-Mail-Adressen',
  emailsHint: 'Eine oder mehrere, je Zeile eine oder durch Kommas getrennt.',
  notAddresses: (texts) => `Das sind keine E-Mail-Adressen: ${texts}. Bitte berichtigen; eingeladen ist noch niemand.`,
  invited: (count) =>
    `${whole(count)} ${plural(count, 'Person ist', 'Personen sind')} eingeladen. Hier die Links zum Weitergeben:`,
  notInvited: (count) =>
    `Nicht eingeladen ${plural(count, 'ist', 'sind')} ${whole(count)} ${plural(count, 'Adresse', 'Adressen')}:`,
  inviting: (done, all) => `${whole(done)} von ${whole(all)} …`,
  email: 'E-Mail-Adresse',
  name: 'Name',
  nameHint: 'Ohne Angabe: die E-Mail-Adresse. Wer hier schon bekannt ist, behält den Namen.',
  role: 'Rolle',
  roleOf: (who, role) => `Rolle ändern: ${who}, jetzt ${role}`,
  roleTitle: (who) => `Rolle von ${who}`,
  setRole: 'Rolle ändern',
  roles: { member: 'Mitglied', admin: 'Admin', owner: 'Inhaber' },
  roleMeans: {
    member: 'Bekommt Ereignisse.',
    admin: 'Bekommt Ereignisse und verwaltet Kanäle, Schlüssel und Mitglieder.',
    owner: 'Wie Admin, und entscheidet über Inhaber.',
  },
  add: 'Einladen',
  you: 'eigenes Konto',
  pair: 'Anmelde-Link',
  pairNamed: (who) => `Anmelde-Link für ${who}`,
  ends: {
    signOut: {
      button: 'Abmelden',
      named: (who) => `${who} überall abmelden`,
      question: (who) => `${who} überall abmelden?`,
      text: 'Alle Sitzungen enden jetzt, auch die in anderen Arbeitsbereichen, und ein noch nicht verwendeter Anmelde-Link wird ungültig.',
      besides:
        'Die Geräte bleiben: Telefone und Browser zeigen weiter Benachrichtigungen. Entfernen kann sie das Mitglied selbst, oder pushctl device remove auf dem Server.',
      done: (who) => `${who} ist überall abgemeldet.`,
    },
    remove: {
      button: 'Entfernen',
      named: (who) => `${who} entfernen`,
      question: (who) => `${who} entfernen?`,
      text: 'Aus diesem Arbeitsbereich kommt dort von jetzt an nichts mehr an. Die Geräte verlieren seine Kanäle.',
      done: (who) => `${who} ist entfernt.`,
    },
  },
  endInvited:
    'Auch die Sitzungen beenden, die nur durch Anmelde-Links dieses Mitglieds entstanden sind. Wer so dazukam, braucht einen neuen Link.',
  isNow: (who, role) => `${who} hat jetzt die Rolle ${role}.`,
  linkTitle: (who) => `Anmeldung für ${who}`,
  linkText:
    'Diesen Link weitergeben oder scannen lassen. Er meldet einmal an; ein früherer gilt nicht mehr. Wer schon angemeldet ist, öffnet ihn dort als Einladung: Er führt dann nur in diesen Arbeitsbereich.',
  linkEnds: 'Gültig bis',
  link: 'Link',
  qr: 'Der Link als QR-Code',
  code: 'Code',
  codeText: 'Zum Eintippen, wo ein Link nicht hilft: auf dem iPhone in der installierten App.',
  linkDone: 'Fertig',
};
