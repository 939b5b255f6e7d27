export const texts = {
  title: 'Keys',
  keys: {
    '?': 'Show this help',
    '/': 'Search and filter',
    j: 'Next event',
    k: 'Previous event',
    Enter: 'Open the event',
    Esc: 'Close what is open',
  },
} as const;
