import type { Translation } from '../../translation.ts';
import type { texts as english } from '../event-head.ts';

export const texts: Translation<typeof english> = {
  noText: 'Dieses Ereignis hat nur einen Titel.',
  happened: 'Geschehen',
  received: 'empfangen',
};
