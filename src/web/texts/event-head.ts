export const texts = {
  noText: 'This event has no text.',
  happened: 'Happened',
  received: 'received',
} as const;
