import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../refusal.ts';

export const texts: Translation<typeof english> = {
  refused: 'Der Server hat das ohne Begründung abgelehnt. Versuchen Sie es noch einmal, oder prüfen Sie sein Log.',
  signedOut: 'Ihre Sitzung ist beendet. Melden Sie sich neu an.',
  waitS: (seconds) => `Bitte in ${whole(seconds)} ${plural(seconds, 'Sekunde', 'Sekunden')} noch einmal versuchen.`,
};
