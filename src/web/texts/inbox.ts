export const texts = {
  title: 'Inbox',
  readAll: 'Mark all as read',
  filter: 'Filter',
  earlier: 'Show earlier events',
  searchedTo: (time: string) => `Searched back to ${time}.`,
  end: 'No earlier events.',
  loading: 'Loading events',
} as const;
