import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../workspace-events.ts';

const pushes = (count: number) => `${whole(count)} ${plural(count, 'Push', 'Pushes')}`;

export const texts: Translation<typeof english> = {
  title: 'Ereignisse',
  send: 'Ereignis senden',
  filters: 'Ereignisse filtern',
  search: 'Titel und Texte durchsuchen',
  level: 'Stufe',
  anyLevel: 'Alle Stufen',
  channel: 'Kanal',
  anyChannel: 'Alle Kanäle',
  state: 'Zustand',
  posted: 'Gesendet',
  scheduledOnly: { true: 'Eingeplant' },
  test: 'Test-Push',
  emptyTitle: 'Keine Ereignisse',
  emptyText: 'Was an die Kanäle dieses Arbeitsbereichs gesendet wird, steht hier.',
  event: 'Ereignis',
  toAll: 'Alle Ereignisse',
  targeted: 'Geräte',
  outcome: 'Ergebnis',
  happened: 'Geschehen',
  received: 'Empfangen',
  type: 'Typ',
  collapse: 'Collapse-Key',
  id: 'ID',
  quiet: 'Ohne Ton',
  waits: (routes) => `Pushes davon warten: ${routes}.`,
  setAside: (route, reason) =>
    `Ein Fehler in pushctl selbst hält es auf ${route} zurück, bis zum nächsten Start: ${reason}.`,
  scheduled: (when) => `Es wartet auf seine Zeit: ${when}.`,
  restored: 'Das Wiederherstellen einer Sicherung hat es vor seiner Zeit beendet.',
  cancelled: (when) => `Zurückgenommen: ${when}.`,
  resent: (pushes, when) => `${pushes} seiner Pushes noch einmal gesendet: ${when}.`,
  timeline: 'Ergebnis je Gerät',
  noDevices: 'Als es eintraf, war kein Gerät eingetragen.',
  notTried: 'Noch nicht versucht.',
  resend: 'Noch einmal senden',
  resendTitle: (count) => `${pushes(count)} noch einmal senden?`,
  resendText: (failed, expired) =>
    `Noch einmal gesendet wird, was ${[...(failed > 0 ? [`fehlgeschlagen (${whole(failed)})`] : []), ...(expired > 0 ? [`abgelaufen (${whole(expired)})`] : [])].join(' oder ')} ist, an Geräte, die aktiv und weiter eingetragen sind.`,
  resendNot: (accepted) =>
    `${accepted === 0 ? '' : `${pushes(accepted)} ${plural(accepted, 'wurde schon angenommen und wird', 'wurden schon angenommen und werden')} nicht noch einmal gesendet. `}Auf das Kontingent wird nichts angerechnet.`,
  resendLinks: 'Links und Daten werden nicht gespeichert, deshalb fehlen sie dabei meist.',
  wasResent: (count) =>
    count === 0
      ? 'Es ist kein Gerät mehr da, an das es gehen könnte.'
      : `${pushes(count)} ${plural(count, 'wird', 'werden')} noch einmal gesendet.`,
  cancel: 'Zurücknehmen',
  cancelTitle: (count) => `${pushes(count)} zurücknehmen?`,
  cancelText: (accepted) =>
    `Was noch nicht gesendet ist, wird nicht mehr gesendet. ${accepted === 0 ? 'Angenommen wurde bisher nichts.' : `${pushes(accepted)} ${plural(accepted, 'wurde', 'wurden')} schon angenommen und ${plural(accepted, 'lässt', 'lassen')} sich nicht zurückholen.`}`,
  cancelScheduledTitle: 'Dieses Ereignis zurücknehmen?',
  cancelScheduledText: 'Es wird nicht gesendet und bleibt als zurückgenommen in der Liste.',
  wasCancelled: 'Zurückgenommen: Was noch nicht gesendet war, wird nicht mehr gesendet.',
  deviceGone: 'Ein Gerät, das es nicht mehr gibt',
  deviceOfNoMember: 'Ein Gerät eines früheren Mitglieds',
  keptFor: (seconds) => `nur ${whole(seconds)} s aufbewahrt`,
  noDeliveries: 'Einzelheiten werden nicht länger aufbewahrt.',
};
