import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../devices.ts';

export const texts: Translation<typeof english> = {
  title: 'Geräte',
  here: 'Dieser Browser',
  obstacles: {
    insecure: {
      title: 'Diese Adresse ist nicht verschlüsselt',
      text: 'Browser nehmen Push-Nachrichten nur an, wenn die Adresse mit https beginnt und ihr Zertifikat vertrauenswürdig ist. Die App muss also unter einer solchen Adresse geöffnet werden; wer den Server betreibt, kennt sie.',
    },
    'install-first': {
      title: 'Zuerst zum Home-Bildschirm hinzufügen',
      text: 'Auf iPhone und iPad bekommen nur installierte Apps Push-Nachrichten. In Safari auf „Teilen“ tippen, dann auf „Zum Home-Bildschirm“. Die App von dort öffnen und sich mit einem Code anmelden, denn von dieser Anmeldung weiß sie nichts. Den Code gibt es in den Einstellungen.',
    },
    unsupported: {
      title: 'Dieser Browser nimmt keine Push-Nachrichten an',
      text: 'Vielleicht ist es ein privates Fenster, eine alte Version oder ein Browser ohne diese Funktion. In Firefox, Chrome, Edge oder Safari geht es unter derselben Adresse.',
    },
    denied: {
      title: 'Benachrichtigungen sind für diese Adresse blockiert',
      text: 'Der Browser fragt nicht von selbst noch einmal. Das Symbol links neben der Adresse zeigt seine Einstellungen für diese Website: dort Benachrichtigungen erlauben und die Seite neu laden.',
    },
  },
  notConfigured: {
    title: 'Dieser Server kann noch nicht an Browser senden',
    text: 'Push-Dienste verlangen eine Kontaktadresse. Wer den Server betreibt, trägt sie ein: webpush.contact in der Konfiguration. Telefone mit einer App sind davon nicht betroffen.',
  },
  offer: {
    title: 'Benachrichtigungen in diesem Browser',
    text: 'Ereignisse der gewählten Kanäle erscheinen hier als Benachrichtigung, auch wenn diese App in keinem Tab offen ist. Der Browser fragt einmal um Erlaubnis. Das lässt sich jederzeit zurücknehmen.',
    add: 'Hier benachrichtigen',
    adding: 'Der Browser wird gefragt …',
    mayTakeLong: 'Der Push-Dienst des Browsers braucht manchmal eine halbe Minute.',
  },
  checkFailed:
    'Ob hier noch Push-Nachrichten ankommen, ließ sich nicht prüfen. Beim nächsten Start wird es noch einmal versucht.',
  subscribedTo: 'Hier anzeigen',
  subscribedToThere: 'Dort anzeigen',
  subscribedToOn: (device) => `Dort anzeigen: ${device}`,
  subscribeNext: 'Mindestens einen Kanal wählen, sonst wird nichts angezeigt.',
  others: 'Weitere Geräte',
  noOthers: 'Keine. Weitere kommen hinzu, wenn man sich dort anmeldet; einen Code dafür gibt es in den Einstellungen.',
  numbered: 'Geräte mit demselben Namen sind in der Reihenfolge nummeriert, in der sie hinzugekommen sind.',
  loading: 'Geräte werden geladen',
  platforms: { ios: 'iPhone oder iPad', android: 'Android', web: 'Browser' },
  seen: 'Zuletzt gesehen',
  inactive: (reason) =>
    `Bekommt nichts mehr${reason === null ? '' : ` (${reason})`}. Wird die App darauf geöffnet, ist es wieder aktiv.`,
  channels: (count) => `${whole(count)} ${plural(count, 'Kanal', 'Kanäle')}`,
  test: 'Test senden',
  tested:
    'Ein Test ist unterwegs. Erscheint er nicht innerhalb einer Minute, hält vielleicht das System Benachrichtigungen zurück.',
  rename: 'Umbenennen',
  name: 'Name des Geräts',
  remove: 'Entfernen',
  removeQuestion: (name) => `${name} entfernen?`,
  removeText:
    'Das Gerät bekommt nichts mehr, und seine Abonnements entfallen. Die Anmeldung darauf bleibt; sie lässt sich in den Einstellungen beenden.',
  channelInactive: 'inaktiv',
};
