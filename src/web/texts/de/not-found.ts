import type { Translation } from '../../translation.ts';
import type { texts as english } from '../not-found.ts';

export const texts: Translation<typeof english> = {
  title: 'Hier ist nichts',
  text: 'Diese Seite gibt es nicht. Vielleicht wurde sie verschoben, oder der Link ist unvollständig.',
};
