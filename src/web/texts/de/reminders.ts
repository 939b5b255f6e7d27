import { whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../reminders.ts';

export const texts: Translation<typeof english> = {
  open: 'Erinnerungen',
  openNamed: (channel) => `Erinnerungen von ${channel}`,
  title: (channel) => `Erinnerungen von ${channel}`,
  about:
    'Mit Erinnerungen löst jedes dringende Ereignis einen Alarm aus, außer mit der Stufe Erfolg. Die Geräte des Kanals werden erinnert, bis jemand den Alarm übernimmt.',
  repeat: 'Erinnern alle',
  until: 'Höchstens',
  untilHint: 'Nicht mehr als 50 Erinnerungen.',
  escalate: 'Danach auch alarmieren',
  noOther: 'Kein weiterer Kanal',
  after: 'Nach',
  ringAfter: 'Erstes Klingeln',
  ringAfterHint: 'Bis dahin erscheint ein Alarm ohne Ton. Endet er vorher, hört ihn niemand.',
  atOnce: 'sofort',
  ringsAfter: (time) => `Er klingelt zuerst nach: ${time}.`,
  rings: 'Höchstens so oft klingeln',
  ringsHint: 'Leer: ohne Grenze. Weitere Pushes erscheinen ohne Ton.',
  per: 'Innerhalb von',
  ringsFact: 'Klingelt',
  atMost: (times, span) => `Höchstens ${times === 1 ? 'einmal' : `${whole(times)}-mal`} in ${span}.`,
  save: 'Speichern',
  switchOff: 'Erinnerungen abschalten',
  switchOffHint: 'Offene Alarme des Kanals sind damit erledigt.',
  fact: 'Erinnerungen',
  none: 'keine',
  reminds: (apart, longest) => `Abstand: ${apart}, bis jemand den Alarm übernimmt, höchstens ${longest}.`,
  escalates: (after, channel) => `Nach ${after} wird auch ${channel} alarmiert.`,
  wereSet: (channel) => `${channel} sendet jetzt Erinnerungen.`,
  wereEnded: (channel) => `${channel} sendet keine Erinnerungen.`,
};
