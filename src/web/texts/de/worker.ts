import type { Translation } from '../../translation.ts';
import type { texts as english } from '../worker.ts';

export const texts: Translation<typeof english> = {
  newEvent: 'Neues Ereignis',
  urgent: 'dringend',
  actions: { acknowledge: 'Bestätigen' },
};
