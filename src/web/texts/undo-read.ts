import { plural, whole } from '../format/numbers.ts';

export const texts = {
  wereRead: (count: number) => `${whole(count)} ${plural(count, 'event was', 'events were')} marked as read.`,
  undo: 'Undo',
} as const;
