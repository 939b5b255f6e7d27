export const texts = {
  noText: 'This event has a title only.',
  happened: 'Happened',
  received: 'received',
} as const;
