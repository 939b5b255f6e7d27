import type { Translation } from '../../translation.ts';
import type { texts as english } from '../mutes.ts';

export const texts: Translation<typeof english> = {
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
