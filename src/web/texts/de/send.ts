import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../send.ts';

const devices = (count: number) => `${whole(count)} ${plural(count, 'Gerät', 'Geräte')}`;

export const texts: Translation<typeof english> = {
  title: 'Ereignis senden',
  noChannel: 'Ereignisse gehen an einen Kanal, und hier ist keiner aktiv.',
  makeChannel: 'Legen Sie einen an, oder aktivieren Sie einen',
  about: 'Das Ereignis zählt zum Kontingent; das Protokoll nennt den Absender.',
  channel: 'Kanal',
  headline: 'Titel',
  text: 'Text',
  level: 'Stufe',
  urgency: 'Dringlichkeit',
  urgencies: { standard: 'Normal', time_sensitive: 'Dringend: darf den Fokus durchbrechen' },
  more: 'Mehr',
  url: 'Link',
  urlHint: 'Ein Tippen öffnet diesen Link. Er wird an die Geräte weitergegeben und nicht gespeichert.',
  image: 'Bild',
  imageHint: 'Adresse eines Bildes, mit https. Sie wird weitergegeben und nicht gespeichert.',
  type: 'Typ',
  typeHint: 'Ein Wort für Programme, etwa disk.full.',
  collapse: 'Collapse-Key',
  collapseHint: 'Ein späteres Ereignis mit demselben Wert tritt auf dem Gerät an die Stelle von diesem.',
  expires: 'Läuft ab nach',
  lives: [
    ['', 'Vorgabe des Servers'],
    ['300', '5 Minuten'],
    ['3600', 'Einer Stunde'],
    ['21600', '6 Stunden'],
    ['86400', 'Einem Tag'],
  ],
  sendAt: 'Senden um',
  sendAtHint: (timeZone) =>
    `Leer: sofort. Höchstens 30 Tage voraus, in der Zeitzone ${timeZone}. Nicht mit Link oder Bild.`,
  check: 'Prüfen',
  goesTo: (count) =>
    count === 0
      ? 'Das Ereignis ist gültig, aber kein Gerät hat diesen Kanal abonniert. Niemand bekäme es.'
      : `Das Ereignis ist gültig und geht an ${devices(count)}.`,
  waitsFor: (when, count) =>
    `Das Ereignis ist gültig, und der Server sendet es ${when}. Es geht an die Geräte, die den Kanal dann abonniert haben (derzeit ${devices(count)}).`,
  send: (count) => `An ${devices(count)} senden`,
  sent: (count) => `Es ist unterwegs an ${devices(count)}.`,
  schedule: 'Einplanen',
  scheduled: (when) => `Es wird gesendet: ${when}.`,
  seeScheduled: 'Ansehen oder zurücknehmen',
  see: 'Ergebnis je Gerät ansehen',
};
