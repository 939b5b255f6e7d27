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
  [/^It is over\.$/, 'Es ist vorbei.'],
  [/^Its channel no longer reminds of it\.$/, 'Sein Kanal erinnert nicht mehr daran.'],
  [/^It has expired: no one has acknowledged it\.$/, 'Abgelaufen: niemand hat übernommen.'],
];

const DAYS: Readonly<Record<string, string>> = {
  Mon: 'Mo',
  Tue: 'Di',
  Wed: 'Mi',
  Thu: 'Do',
  Fri: 'Fr',
  Sat: 'Sa',
  Sun: 'So',
};
const MONTHS: Readonly<Record<string, string>> = { Mar: 'Mär', May: 'Mai', Oct: 'Okt', Dec: 'Dez' };
/** `Mon 09:00`, or `Mon 22 Feb 09:00`. */
const TIME = /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:(\d{1,2}) ([A-Z][a-z]{2}) )?(\d\d:\d\d)\b/g;

/** Patterns of a line, tried in this order: the longest form first. */
const OF_ROTA: readonly (readonly [RegExp, string])[] = [
  [/, (\d+) open alerts?$/, ', offene Alarme: $1'],
  [/^You are on call for (.+) until (.+)$/, 'Sie haben Bereitschaft für $1 bis $2'],
  [/^You are on call for (.+)$/, 'Sie haben Bereitschaft für $1'],
  [/^You are no longer on call for (.+)$/, 'Ihre Bereitschaft für $1 ist beendet'],
  [/^Your time on call for (.+) has changed$/, 'Ihre Bereitschaft für $1 hat sich geändert'],
  [/^(.+) is no longer in the rota (.+)$/, '$1 ist nicht mehr im Bereitschaftsplan $2'],
  [/^(.+) was on call before\.$/, 'Vorher hatte $1 Bereitschaft.'],
  [
    /^(.+) has left the workspace\. (.+) is on call now\.$/,
    '$1 hat den Arbeitsbereich verlassen. Jetzt hat $2 Bereitschaft.',
  ],
  [/^(.+) is on call until (.+)\.$/, '$1 hat Bereitschaft bis $2.'],
  [/^(.+) is on call\.$/, '$1 hat Bereitschaft.'],
  [/^From (.+): (.+) instead of (.+)$/, 'Ab $1: $2 statt $3'],
  [/^(.+) to (.+): (.+) instead of (.+)$/, '$1 bis $2: $3 statt $4'],
  [/: you statt /, ': Sie statt '],
  [/ statt you$/, ' statt Ihnen'],
  [/: nobody statt /, ': niemand statt '],
  [/ statt nobody$/, ' statt niemandem'],
  [/\bNobody\b/, 'niemand'],
  [/^niemand/, 'Niemand'],
  [/\bA former member\b/, 'ein früheres Mitglied'],
  [/^ein früheres/, 'Ein früheres'],
  [/^And (\d+) more\.$/, 'Und $1 weitere.'],
  [/^Changed by (.+)\.$/, 'Geändert von $1.'],
];

function translated(text: string, forms: readonly (readonly [RegExp, string])[]): string {
  return forms.reduce((done, [form, german]) => done.replace(form, german), text);
}

function inGerman(line: string): string {
  return translated(line, OF_ROTA).replace(TIME, (_, day, date, month, time) =>
    [DAYS[day], ...(date === undefined ? [] : [`${date}.`, MONTHS[month] ?? month]), time].join(' '),
  );
}

export const texts: Translation<typeof english> = {
  newEvent: 'Neues Ereignis',
  urgent: 'dringend',
  actions: { acknowledge: 'Übernehmen' },
  notAcknowledged: 'Nicht übernommen: Der Server antwortet nicht.',
  ofServer: (text) => translated(text, OF_SERVER),
  ofRota: (text) => text.split('\n').map(inGerman).join('\n'),
};
