import type { Translation } from '../../translation.ts';
import type { texts as english } from '../event.ts';

export const texts: Translation<typeof english> = {
  title: 'Ereignis',
  missing: 'Dieses Ereignis gibt es hier nicht',
  missingText:
    'Vielleicht ist es älter, als der Server Ereignisse aufbewahrt, sein Kanal wurde gelöscht, oder es war für jemand anderen. Die neuesten stehen im Eingang.',
  channel: 'Kanal',
  workspace: 'Arbeitsbereich',
  type: 'Typ',
  happened: 'Geschehen',
  received: 'Empfangen',
  replaces: 'Collapse-Key',
  timeline: 'Ergebnis je Gerät',
  id: 'ID',
  quiet: 'Ohne Ton',
  openLink: (host) => `${host} öffnen`,
  openImage: (host: string) => `Bild von ${host} zeigen`,
  markUnread: 'Als ungelesen markieren',
};
