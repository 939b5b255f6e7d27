import type { Translation } from '../../translation.ts';
import type { texts as english } from '../provider.ts';

export const texts: Translation<typeof english> = {
  signIn: (name) => `Mit ${name} anmelden`,
  confirm: (name) => `Bei ${name} bestätigen`,
  confirmHint: 'Danach kommen Sie auf diese Seite zurück. Wiederholen Sie dann, was Sie vorhatten.',
  orCode: 'Mit einem Kopplungscode anmelden',
  under: 'Anmeldung läuft …',
  isYou: 'Sie sind es',
  isYouText: 'Das gilt zehn Minuten lang. Wiederholen Sie, was Sie vorhatten.',
  back: 'Zurück',
  again: 'Noch einmal versuchen',
  failed: 'Sie sind nicht angemeldet',
  home: 'Zur App',
  why: {
    cross_site: 'Eine andere Website hat Sie hierher geleitet. Beginnen Sie die Anmeldung auf dieser Seite.',
    other_browser:
      'Diese Anmeldung wurde nicht in diesem Browser begonnen, oder es kam eine andere dazwischen, oder sie hat länger als zehn Minuten gedauert. Beginnen Sie von vorn.',
    unavailable:
      'Der Anbieter ist zurzeit nicht erreichbar. Versuchen Sie es später noch einmal. Bleibt er weg, kann ein Betreiber Ihnen einen Kopplungscode geben (pushctl member pair).',
    denied: 'Der Anbieter hat Sie nicht angemeldet, oder Sie haben abgebrochen.',
    refused: 'Die Antwort des Anbieters war ungültig oder schon verbraucht. Beginnen Sie von vorn.',
    throttled:
      'Von hier sind zu viele Anmeldungen fehlgeschlagen. Warten Sie eine Viertelstunde, oder nehmen Sie einen Kopplungscode.',
    unverified:
      'Der Anbieter bestätigt nicht, dass Ihre E-Mail-Adresse geprüft wurde. Lassen Sie das dort nachholen, oder bitten Sie einen Betreiber um einen Kopplungscode.',
    not_member:
      'Der Anbieter kennt Sie, aber kein Arbeitsbereich hat ein Mitglied mit Ihrer dortigen E-Mail-Adresse. Bitten Sie jemanden, der einen verwaltet, Sie hinzuzufügen.',
    linked_already:
      'Das Mitglied mit Ihrer E-Mail-Adresse ist mit einem anderen Konto beim Anbieter verknüpft. Ein Betreiber kann das aufheben (pushctl member unlink).',
    not_fresh:
      'Der Anbieter sagt nicht, dass Sie sich eben ausgewiesen haben. Bestätigen Sie mit einem Passkey oder einem Kopplungscode.',
  },
  whyElse: 'Die Anmeldung kam nicht zum Ende. Beginnen Sie von vorn.',
};
