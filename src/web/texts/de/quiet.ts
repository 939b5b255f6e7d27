import type { Translation } from '../../translation.ts';
import type * as english from '../quiet.ts';

export const reasons: Readonly<Record<keyof typeof english.reasons, string>> = {
  notice: 'sagt, wie ein Alarm endete oder wer ihn hat',
  acknowledged: 'der Alarm war bestätigt',
  maintenance: 'Wartung',
  ring_after: 'der Alarm hatte noch nicht geklingelt',
  quiet_hours: 'Ruhezeit',
  storm: 'der Kanal hatte so oft geklingelt, wie er darf',
  not_on_call: 'jemand anderes hat Bereitschaft',
};

export const texts: Translation<typeof english.texts> = {
  until: (reason, time) => `${reason} bis ${time}`,
  by: (reason, name) => `${reason}, von ${name}`,
  onCall: 'Bereitschaft',
  isOnCall: (name) => `${name} hat Bereitschaft`,
  isUnreachable: (name) => `${name} hat Bereitschaft und war nicht erreichbar, deshalb klingelte es bei allen`,
};
