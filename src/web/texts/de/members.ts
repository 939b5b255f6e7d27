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
  emptyTitle: 'Noch keine Mitglieder',
  emptyText: 'Laden Sie das erste ein.',
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
    'Keine, also kommt kein Push an. Ein Anmelde-Link öffnet die App, und die App bietet Benachrichtigungen an.',
  sessionsTitle: 'Angemeldet auf',
  noSessions: 'Nirgends.',
  unknownProgram: 'Ein unbekanntes Programm',
  lastUsed: 'zuletzt verwendet',
  toAll: 'Alle Mitglieder',
  emails: 'E-Mail-Adressen',
  emailsHint: 'Eine oder mehrere, durch Zeilenumbrüche oder Kommas getrennt.',
  notAddresses: (texts) =>
    `Das sind keine E-Mail-Adressen: ${texts}. Berichtigen Sie sie. Noch ist niemand eingeladen.`,
  invited: (count) =>
    `${whole(count)} ${plural(count, 'Person ist', 'Personen sind')} eingeladen. Hier die Links zum Weitergeben:`,
  notInvited: (count) =>
    `Nicht eingeladen ${plural(count, 'ist', 'sind')} ${whole(count)} ${plural(count, 'Adresse', 'Adressen')}:`,
  inviting: (done, all) => `${whole(done)} von ${whole(all)} …`,
  email: 'E-Mail-Adresse',
  name: 'Name',
  nameHint: 'Leer: die E-Mail-Adresse. Wenn das Mitglied hier schon bekannt ist, behält es seinen Namen.',
  role: 'Rolle',
  roleOf: (who, role) => `Rolle ändern: ${who}, jetzt ${role}`,
  roleTitle: (who) => `Rolle von ${who}`,
  setRole: 'Rolle ändern',
  roles: { member: 'Mitglied', admin: 'Admin', owner: 'Inhaber' },
  roleMeans: {
    member: 'Bekommt Ereignisse.',
    admin: 'Bekommt Ereignisse und verwaltet Kanäle, API-Schlüssel und Mitglieder.',
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
      text: 'Alle Sitzungen enden jetzt, auch die in anderen Arbeitsbereichen. Ein noch nicht verwendeter Anmelde-Link wird ungültig.',
      besides:
        'Die Geräte bleiben: Telefone und Browser zeigen weiter Benachrichtigungen. Das Mitglied kann sie selbst entfernen. Auf dem Server geht es mit pushctl device remove.',
      done: (who) => `${who} ist überall abgemeldet.`,
    },
    remove: {
      button: 'Entfernen',
      named: (who) => `${who} entfernen`,
      question: (who) => `${who} entfernen?`,
      text: 'Das Mitglied bekommt nichts mehr aus diesem Arbeitsbereich. Seine Geräte werden aus den Kanälen ausgetragen.',
      done: (who) => `${who} ist entfernt.`,
    },
  },
  endInvited:
    'Auch die Sitzungen beenden, die nur durch Anmelde-Links dieses Mitglieds entstanden sind. Diese Mitglieder brauchen dann einen neuen Link.',
  isNow: (who, role) => `${who} hat jetzt die Rolle ${role}.`,
  linkTitle: (who) => `Anmeldung für ${who}`,
  linkText:
    'Geben Sie diesen Link weiter, oder lassen Sie ihn scannen. Er gilt einmal und ersetzt frühere. Wenn das Mitglied schon angemeldet ist, öffnet es ihn dort, um diesem Arbeitsbereich beizutreten.',
  linkEnds: 'Gültig bis',
  link: 'Link',
  qr: 'Der Link als QR-Code',
  code: 'Code',
  codeText: 'Zum Eintippen, wenn ein Link nicht hilft, etwa auf dem iPhone in der installierten App.',
  linkDone: 'Fertig',
};
