import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../alerts.ts';

export const texts: Translation<typeof english> = {
  title: 'Alarme',
  loading: 'Alarme werden geladen',
  open: 'Offen',
  taken: 'Übernommen',
  earlier: 'Früher',
  none: 'Keine offenen Alarme',
  noneText:
    'Ein Kanal, der nachhakt, erinnert an jedes dringende Ereignis, bis es jemand übernimmt. Was offen ist, steht hier.',
  more: (count) => `Nur die neuesten ${whole(count)} werden angezeigt.`,
  showEarlier: 'Frühere Alarme anzeigen',
  takeAll: (count, channel) => `Alle ${whole(count)} in ${channel} übernehmen`,
  someone: 'Jemand',
  openSince: (time) => `Offen seit ${time}`,
  reminded: (count) => `${count === 1 ? 'einmal' : `${whole(count)}-mal`} erinnert`,
  nextChannel: (channel, time) => `nächster Kanal: ${channel}, ${time}`,
  has: (name, time) => `Seit ${time} bei ${name}`,
  until: (time) => `wieder offen: ${time}`,
  resolvedBy: (name, time) => `Erledigt von ${name}, ${time}`,
  resolved: {
    sender: 'Vorbei: vom Absender aufgehoben',
    time: 'Vorbei: acht Stunden lang nichts Neues',
    channel: 'Vorbei: der Kanal hakt nicht mehr nach',
  },
  expired: (time) => `Verfallen (${time}): niemand hat übernommen`,
  restored: 'Verfallen, als der Server aus einer Sicherung wiederhergestellt wurde',
  steps: {
    opened: 'Geöffnet',
    reminded: (count) => (count === 1 ? 'Erste Erinnerung' : `Erinnerung ${whole(count)}, bisher die letzte`),
    goesOn: (channel) => `Geht auch an ${channel}`,
    taken: (name) => `${name} hat übernommen`,
    opensAgain: 'Wieder offen',
    expires: 'Verfällt',
    expired: 'Verfallen',
    resolved: 'Erledigt',
  },
  also: (channels) => `Auch an ${channels} gesendet.`,
  notified: 'Wer benachrichtigt wurde',
  notifiedMeans:
    'Durch das Ereignis oder die letzte Erinnerung: wann ein Push-Dienst sie zuletzt für eines der Geräte angenommen hat.',
  label: 'Dieser Alarm',
  history: 'Verlauf',
  newest: 'Zu diesem Alarm gibt es ein neueres Ereignis.',
  toNewest: 'Anzeigen',
  others: (count) => `${whole(count)} ${plural(count, 'weiterer Alarm ist', 'weitere Alarme sind')} offen`,
  take: 'Übernehmen',
  snooze: 'Später',
  resolve: 'Erledigt',
  snoozes: { halfAnHour: '30 Min.', twoHours: '2 Std.', untilEight: 'Bis 8:00' },
};
