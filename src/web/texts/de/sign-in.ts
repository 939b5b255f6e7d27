import type { Translation } from '../../translation.ts';
import type { texts as english } from '../sign-in.ts';

export const texts: Translation<typeof english> = {
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
