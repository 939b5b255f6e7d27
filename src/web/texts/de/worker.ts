import type { Translation } from '../../translation.ts';
import type { texts as english } from '../worker.ts';

const OF_SERVER: readonly (readonly [RegExp, string])[] = [
  [/^(\d+\+?) open alerts$/, '$1 offene Alarme'],
  [/^(\d+\+?) alerts$/, '$1 Alarme'],
  [/^Maintenance over: (\d+\+?) alerts? open$/, 'Wartung vorbei, offene Alarme: $1'],
  [/^No open alerts$/, 'Keine offenen Alarme'],
  [/^1 open alert$/, '1 offener Alarm'],
  [/^(.+) has reopened it: (.+) has it\.$/, '$1 hat ihn wieder geöffnet. $2 hat übernommen.'],
  [/^(.+) has (?:it|them)\.$/, '$1 hat übernommen.'],
  [/^(.+) has resolved it\.$/, '$1 hat ihn erledigt.'],
  [/^(.+) no longer shows alerts$/, '$1 zeigt keine Alarme mehr an'],
  [
    /^Open the app on that device and send a test\. If nothing appears, remove the device there and add it again\.$/,
    'Öffnen Sie die App auf dem Gerät und senden Sie einen Test. Wenn nichts erscheint, entfernen Sie das Gerät dort und fügen Sie es neu hinzu.',
  ],
  [/^You are on call for (.+?) until (.+?)(, \d+ open alerts?)?$/, 'Sie haben Bereitschaft für $1 bis $2$3'],
  [/^You are on call for (.+)$/, 'Sie haben Bereitschaft für $1'],
  [/^You are no longer on call for (.+)$/, 'Ihre Bereitschaft für $1 ist beendet'],
  [/^Your time on call for (.+) has changed$/, 'Ihre Bereitschaft für $1 hat sich geändert'],
  [/^(.+) is no longer in the rota (.+)$/, '$1 ist nicht mehr im Bereitschaftsplan $2'],
  [/, (\d+) open alerts?$/, ', offene Alarme: $1'],
  [/^It is over\.$/, 'Es ist vorbei.'],
  [/^Its channel no longer reminds of it\.$/, 'Sein Kanal erinnert nicht mehr daran.'],
  [/^It has expired: no one has acknowledged it\.$/, 'Abgelaufen: niemand hat übernommen.'],
];

export const texts: Translation<typeof english> = {
  newEvent: 'Neues Ereignis',
  urgent: 'dringend',
  actions: { acknowledge: 'Übernehmen' },
  notAcknowledged: 'Nicht übernommen: Der Server antwortet nicht.',
  ofServer: (text) => OF_SERVER.reduce((translated, [form, german]) => translated.replace(form, german), text),
};
