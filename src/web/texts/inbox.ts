export const texts = {
  title: 'Inbox',
  emptyTitle: 'No events yet',
  emptyText: 'Send the first one with an API key of your workspace:',
  earlier: 'Show earlier events',
  end: 'No earlier events.',
  loading: 'Loading events',
} as const;
