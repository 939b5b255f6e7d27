import type { Translation } from '../../translation.ts';
import type { texts as english } from '../workspace-devices.ts';

export const texts: Translation<typeof english> = {
  title: 'Geräte',
  about:
    'Was die Mitglieder hier registriert haben. Um die eigenen kümmern sich alle selbst, unter „Geräte“ in ihrem Teil der App.',
  inactive: 'inaktiv',
  registered: 'registriert',
  noChannels: 'kein Kanal',
  sandbox: 'Apple-Sandbox',
  emptyTitle: 'Noch keine Geräte',
  emptyText: 'Mitglieder melden sich mit Telefon oder Computer bei dieser App an und erlauben dort Benachrichtigungen.',
};
