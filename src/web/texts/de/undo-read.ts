import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../undo-read.ts';

export const texts: Translation<typeof english> = {
  wereRead: (count) => `${whole(count)} ${plural(count, 'Ereignis wurde', 'Ereignisse wurden')} als gelesen markiert.`,
  undo: 'Rückgängig',
};
