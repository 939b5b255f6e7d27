import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../refusal.ts';

export const texts: Translation<typeof english> = {
  refused: 'Der Server hat das ohne Begründung abgelehnt. Bitte noch einmal versuchen, oder in sein Log sehen.',
  signedOut: 'Die Sitzung ist beendet. Bitte neu anmelden.',
  waitS: (seconds) => `Bitte in ${whole(seconds)} ${plural(seconds, 'Sekunde', 'Sekunden')} noch einmal versuchen.`,
};
