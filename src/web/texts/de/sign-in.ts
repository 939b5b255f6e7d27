import type { Translation } from '../../translation.ts';
import type { texts as english } from '../sign-in.ts';

export const texts: Translation<typeof english> = {
  title: 'Anmelden',
  over: 'Die Sitzung ist zu Ende: in einem anderen Tab abgemeldet, anderswo beendet oder lange nicht verwendet. Nach einer neuen Anmeldung geht es weiter.',
  withLink: 'Dieser Link meldet hier an. Er gilt einmal.',
  withLinkHint:
    'Um wessen Konto es geht, zeigt sich nach der Anmeldung. Den Link nur verwenden, wenn er angefordert war.',
  replaces: (email) =>
    `Zurzeit ist hier ${email} angemeldet. Eine Einladung für dieses Konto kommt zur Sitzung hinzu. Ein Link für jemand anderen meldet stattdessen dessen Konto an.`,
  useLink: 'Link verwenden',
  install: {
    title: 'Diese App zuerst zum Home-Bildschirm hinzufügen',
    why: 'Ein iPhone oder iPad zeigt Benachrichtigungen nur für eine App auf dem Home-Bildschirm, und diese App braucht den Code selbst. Beim Öffnen dieser Seite wurde er nicht verbraucht.',
    add: 'In Safari auf „Teilen“ tippen, dann auf „Zum Home-Bildschirm“.',
    open: 'pushctl vom Home-Bildschirm aus öffnen.',
    type: 'Dort diesen Code eingeben. Er gilt einmal.',
    here: 'Auch hier ist eine Anmeldung möglich. Sie verbraucht den Code, und Safari zeigt keine Benachrichtigungen.',
    stay: 'Trotzdem hier anmelden',
  },
  linkFailed: 'Wer den Link geschickt hat, kann einen neuen schicken; oder auf andere Weise anmelden.',
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
  signedInAs: (name) => `Angemeldet als ${name}`,
  whose:
    'Ist das ein fremdes Konto, bitte wieder abmelden: Wer den Link geschickt hat, sähe sonst, was hier geschieht.',
  isDevice: 'Benachrichtigungen erscheinen jetzt in diesem Browser. Noch wählen, aus welchen Kanälen sie kommen.',
  toChannels: 'Kanäle wählen',
  toInbox: 'Zum Eingang',
  insecure:
    'Diese Adresse ist nicht verschlüsselt, deshalb würde der Browser hier keine Sitzung behalten. Die App unter https öffnen, oder auf dem Server selbst unter http://localhost. Ein Link oder Code gilt dort noch.',
};
