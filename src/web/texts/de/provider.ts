import type { Translation } from '../../translation.ts';
import type { texts as english } from '../provider.ts';

export const texts: Translation<typeof english> = {
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
