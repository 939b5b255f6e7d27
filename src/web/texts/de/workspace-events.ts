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
  emptyText: 'Hier stehen die Ereignisse der Kanäle dieses Arbeitsbereichs.',
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
  waits: (routes) => `Pushes warten auf ${routes}.`,
  setAside: (route, reason) =>
    `Ein Fehler in pushctl hält Pushes dieses Ereignisses auf ${route} bis zum nächsten Start zurück: ${reason}.`,
  scheduled: (when) => `Es wartet auf seine Zeit: ${when}.`,
  restored: 'Es wurde verworfen, als der Server aus einer Sicherung wiederhergestellt wurde.',
  cancelled: (when) => `Zurückgenommen: ${when}.`,
  resent: (pushes, when) => `${pushes} seiner Pushes noch einmal gesendet: ${when}.`,
  timeline: 'Ergebnis je Gerät',
  noDevices: 'Kein Gerät war eingetragen, als das Ereignis eintraf.',
  notTried: 'Noch nicht versucht.',
  resend: 'Noch einmal senden',
  resendTitle: (count) => `${pushes(count)} noch einmal senden?`,
  resendText: (failed, expired) =>
    `Noch einmal gesendet werden ${[...(failed > 0 ? [`fehlgeschlagene (${whole(failed)})`] : []), ...(expired > 0 ? [`abgelaufene (${whole(expired)})`] : [])].join(' und ')} Pushes, an Geräte, die aktiv und weiter eingetragen sind.`,
  resendNot: (accepted) =>
    `${accepted === 0 ? '' : `${pushes(accepted)} ${plural(accepted, 'wurde schon angenommen und wird', 'wurden schon angenommen und werden')} nicht noch einmal gesendet. `}Nichts wird auf das Kontingent angerechnet.`,
  resendLinks: 'Links und Daten werden nicht gespeichert. Deshalb fehlen sie meist, wenn noch einmal gesendet wird.',
  wasResent: (count) =>
    count === 0
      ? 'Kein Gerät ist mehr da, an das es gehen könnte.'
      : `${pushes(count)} ${plural(count, 'wird', 'werden')} noch einmal gesendet.`,
  cancel: 'Zurücknehmen',
  cancelTitle: (count) => `${pushes(count)} zurücknehmen?`,
  cancelText: (accepted) =>
    `Noch nicht gesendete Pushes werden nicht mehr gesendet. ${accepted === 0 ? 'Bisher wurde kein Push angenommen.' : `${pushes(accepted)} ${plural(accepted, 'wurde', 'wurden')} schon angenommen und ${plural(accepted, 'lässt', 'lassen')} sich nicht zurückholen.`}`,
  cancelScheduledTitle: 'Dieses Ereignis zurücknehmen?',
  cancelScheduledText: 'Es wird nicht gesendet und bleibt als zurückgenommen in der Liste.',
  wasCancelled: 'Das Ereignis ist zurückgenommen. Noch nicht gesendete Pushes werden nicht mehr gesendet.',
  deviceGone: 'Ein Gerät, das es nicht mehr gibt',
  deviceOfNoMember: 'Ein Gerät eines früheren Mitglieds',
  keptFor: (seconds) => `nur ${whole(seconds)} s aufbewahrt`,
  noDeliveries: 'Einzelheiten werden nicht länger aufbewahrt.',
};
