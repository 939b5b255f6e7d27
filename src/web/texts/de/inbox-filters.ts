import type { Translation } from '../../translation.ts';
import type { texts as english } from '../inbox-filters.ts';

export const texts: Translation<typeof english> = {
  label: 'Eingang filtern',
  search: 'Titel und Texte durchsuchen',
  workspace: 'Arbeitsbereich',
  allWorkspaces: 'Alle Arbeitsbereiche',
  channel: 'Kanal',
  allChannels: 'Alle Kanäle',
  level: 'Stufe',
  allLevels: 'Alle Stufen',
  withUnread: (channel, count) => `${channel} (${count} ungelesen)`,
  unread: 'Gelesen oder ungelesen',
  readToo: 'Gelesen und ungelesen',
  unreadOnly: 'Nur ungelesen',
};
