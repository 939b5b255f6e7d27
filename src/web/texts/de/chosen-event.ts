import type { Translation } from '../../translation.ts';
import type { texts as english } from '../chosen-event.ts';

export const texts: Translation<typeof english> = {
  label: 'Ausgewähltes Ereignis',
  none: 'Wählen Sie ein Ereignis, um es hier zu sehen.',
};
