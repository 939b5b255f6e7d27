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
    cross_site: 'Hierher hat eine andere Website geführt. Die Anmeldung bitte auf dieser Seite beginnen.',
    other_browser:
      'Diese Anmeldung wurde nicht in diesem Browser begonnen, eine andere kam dazwischen, oder sie hat länger als zehn Minuten gedauert. Bitte von vorn beginnen.',
    unavailable:
      'Der Anbieter ist zurzeit nicht erreichbar. Bitte später noch einmal versuchen. Bleibt er weg, kann der Betreiber einen Kopplungscode geben (pushctl member pair).',
    denied: 'Der Anbieter hat die Anmeldung abgelehnt, oder sie wurde abgebrochen.',
    refused: 'Die Antwort des Anbieters war ungültig oder schon verbraucht. Bitte von vorn beginnen.',
    throttled:
      'Von hier sind zu viele Anmeldungen fehlgeschlagen. Bitte eine Viertelstunde warten oder einen Kopplungscode nehmen.',
    unverified:
      'Der Anbieter sagt nicht, dass die E-Mail-Adresse bestätigt ist. Das dort nachholen, oder den Betreiber um einen Kopplungscode bitten.',
    not_member:
      'Der Anbieter kennt dieses Konto, aber kein Arbeitsbereich hat ein Mitglied mit der dortigen E-Mail-Adresse. Wer einen verwaltet, kann es hinzufügen.',
    linked_already:
      'Das Mitglied mit dieser E-Mail-Adresse ist mit einem anderen Konto beim Anbieter verknüpft. Der Betreiber kann das aufheben (pushctl member unlink).',
    not_fresh:
      'Der Anbieter sagt nicht, dass die Anmeldung eben erst geschah. Stattdessen mit einem Passkey oder Kopplungscode bestätigen.',
  },
  whyElse: 'Die Anmeldung kam nicht zum Ende. Bitte von vorn beginnen.',
};
