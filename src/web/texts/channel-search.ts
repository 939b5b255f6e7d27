export const texts = {
  search: 'Search channels',
  none: 'No channel matches.',
  first: (count: string) => `The first ${count} channels are listed.`,
  more: 'Show more channels',
} as const;
