import type { Translation } from '../../translation.ts';
import type { texts as english } from '../document.ts';

export const texts: Translation<typeof english> = {
  noScript: 'Die App von pushctl braucht JavaScript. Ereignisse zeigt auch die Kommandozeile: pushctl event list.',
};
