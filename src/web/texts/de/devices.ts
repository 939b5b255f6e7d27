import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type * as english from '../devices.ts';

export const devices: Translation<typeof english.devices> = {
  title: 'Geräte',
  here: 'Dieser Browser',
  obstacles: {
    insecure: {
      title: 'Diese Adresse ist nicht verschlüsselt',
      text: 'Browser nehmen Push-Nachrichten nur an, wenn die Adresse mit https beginnt und ihr Zertifikat vertrauenswürdig ist. Öffnen Sie die App unter einer solchen Adresse, oder fragen Sie den Betreiber des Servers danach.',
    },
    'install-first': {
      title: 'Zuerst zum Home-Bildschirm hinzufügen',
      text: 'Auf iPhone und iPad bekommen nur installierte Apps Push-Nachrichten. Tippen Sie in Safari auf „Teilen“, dann auf „Zum Home-Bildschirm“. Öffnen Sie die App von dort und melden Sie sich mit einem Code an, denn die installierte App kennt diese Anmeldung nicht. Den Code erzeugen Sie in den Einstellungen.',
    },
    unsupported: {
      title: 'Dieser Browser nimmt keine Push-Nachrichten an',
      text: 'Vielleicht ist es ein privates Fenster, eine alte Version oder ein Browser ohne diese Funktion. Öffnen Sie diese Adresse in Firefox, Chrome, Edge oder Safari.',
    },
    denied: {
      title: 'Benachrichtigungen sind für diese Adresse blockiert',
      text: 'Der Browser fragt nicht von selbst noch einmal. Das Symbol links neben der Adresse zeigt seine Einstellungen für diese Website: Erlauben Sie dort Benachrichtigungen und laden Sie die Seite neu.',
    },
  },
  notConfigured: {
    title: 'Dieser Server kann noch nicht an Browser senden',
    text: 'Push-Dienste verlangen eine Kontaktadresse. Der Betreiber des Servers trägt sie ein: webpush.contact in der Konfiguration. Telefone mit einer App sind davon nicht betroffen.',
  },
  offer: {
    title: 'Benachrichtigungen in diesem Browser',
    text: 'Ereignisse der gewählten Kanäle erscheinen hier als Benachrichtigung, auch wenn diese App in keinem Tab offen ist. Der Browser fragt Sie einmal um Erlaubnis. Sie können das jederzeit zurücknehmen.',
    add: 'Hier benachrichtigen',
    adding: 'Der Browser wird gefragt …',
    mayTakeLong: 'Der Push-Dienst des Browsers braucht manchmal eine halbe Minute.',
  },
  checkFailed:
    'Die App konnte nicht prüfen, ob hier noch Push-Nachrichten ankommen. Sie versucht es beim nächsten Start noch einmal.',
  subscribedTo: 'Kanäle in diesem Browser',
  subscribedToThere: 'Kanäle auf diesem Gerät',
  subscribedToOn: (device) => `Kanäle auf diesem Gerät: ${device}`,
  subscribeNext: 'Wählen Sie mindestens einen Kanal, sonst wird nichts angezeigt.',
  others: 'Weitere Geräte',
  noOthers: 'Keine. Melden Sie sich auf einem weiteren Gerät an; einen Code dafür gibt es in den Einstellungen.',
  numbered: 'Geräte mit demselben Namen sind in der Reihenfolge nummeriert, in der sie hinzugekommen sind.',
  loading: 'Geräte werden geladen',
  platforms: { ios: 'iPhone oder iPad', android: 'Android', web: 'Browser' },
  seen: 'Zuletzt gesehen',
  lastShown: 'Zuletzt angezeigt',
  managersSee: 'Inhaber und Admins sehen, wann ein Gerät einen Alarm angezeigt und geöffnet hat.',
  notShowing: 'Zeigt nichts an seit',
  notShowingFix:
    'Der Push-Dienst nimmt Alarme für dieses Gerät an. Das Gerät meldet aber nicht, dass es sie anzeigt. Öffnen Sie die App auf dem Gerät und senden Sie einen Test. Wenn nichts erscheint, entfernen Sie das Gerät dort und fügen Sie es neu hinzu.',
  inactive: (reason) =>
    `Dieses Gerät bekommt nichts mehr${reason === null ? '' : ` (${reason})`}. Öffnen Sie die App darauf, um es wieder zu aktivieren.`,
  channels: (count) => `${whole(count)} ${plural(count, 'Kanal', 'Kanäle')}`,
  test: 'Test senden',
  tested:
    'Ein Test ist unterwegs. Wenn er nicht innerhalb einer Minute erscheint, prüfen Sie, ob das System Benachrichtigungen blockiert.',
  rename: 'Umbenennen',
  name: 'Name des Geräts',
  remove: 'Entfernen',
  removeQuestion: (name) => `${name} entfernen?`,
  removeText:
    'Das Gerät bekommt nichts mehr, und seine Abonnements entfallen. Die Anmeldung darauf bleibt; Sie beenden sie in den Einstellungen.',
  channelInactive: 'inaktiv',
};

export const push: Translation<typeof english.push> = {
  notAllowed:
    'Der Browser durfte keine Benachrichtigungen zeigen. Nichts hat sich geändert; Sie können es jederzeit noch einmal versuchen.',
  noAnswer:
    'Der Push-Dienst des Browsers antwortet nicht. Manche Browser haben keinen, und manche Netze sperren ihn. Versuchen Sie es noch einmal, oder verwenden Sie einen anderen Browser.',
  refused: (why) =>
    `Der Browser konnte keine Push-Nachrichten abonnieren: ${why}. Private Fenster und manche Browser erlauben es nicht. Versuchen Sie einen anderen.`,
};

export const channels: Translation<typeof english.channels> = {
  title: 'Kanäle',
  loading: 'Kanäle werden geladen',
  onNone: 'auf keinem Gerät',
  onAll: 'auf allen Geräten',
  onSome: (count, all) => `auf ${count} von ${all} Geräten`,
  channelOn: (channel, device) => `${channel} auf ${device}`,
  inactive: 'inaktiv: zurzeit wird nichts gesendet',
  noDevicesTitle: 'Noch kein Gerät',
  noDevices:
    'Benachrichtigungen brauchen ein Gerät. Beginnen Sie mit diesem Browser, oder melden Sie sich auf einem Telefon in einer App an.',
  toDevices: 'Diesen Browser hinzufügen',
  noneTitle: 'Noch keine Kanäle',
  none: 'Ein Kanal ist ein Thema, das Sie abonnieren können, etwa Deployments oder Backups. Inhaber und Admins des Arbeitsbereichs legen Kanäle an.',
  make: (workspace) => `Kanal in ${workspace} anlegen`,
  heartbeats: (workspace) => `Heartbeats von ${workspace}`,
};

export const mutes: Translation<typeof english.mutes> = {
  mute: 'Stumm …',
  title: (channel) => `${channel} stummschalten`,
  anHour: 'Eine Stunde lang',
  untilEight: (time) => `Bis ${time}`,
  forGood: 'Bis ich es aufhebe',
  unmute: 'Nicht mehr stumm',
  atAllTimes: 'Sonst',
  allLevels: 'Ereignisse aller Stufen',
  levels: {
    success: 'Alles außer Infos',
    warning: 'Nur Warnungen und Fehler',
    error: 'Nur Fehler',
  },
  until: (time) => `Stumm bis ${time}`,
  untilFurtherNotice: 'Stumm bis auf Weiteres',
  afterwards: (muted, level) => `${muted}. Danach: ${level}`,
};
