import type { Translation } from '../../translation.ts';
import type { texts as english } from '../channel-search.ts';

export const texts: Translation<typeof english> = {
  search: 'Kanäle suchen',
  none: 'Kein Kanal passt dazu.',
  first: (count) => `Die ersten ${count} Kanäle sind aufgeführt.`,
  more: 'Weitere Kanäle zeigen',
};
