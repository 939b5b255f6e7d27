import { whole } from '../format/numbers.ts';

export const texts = {
  title: 'Inbox',
  readAll: 'Mark all as read',
  filter: 'Filter',
  earlier: 'Show earlier events',
  searchedTo: (time: string) => `Searched back to ${time}.`,
  repeats: (count: number) => `${whole(count)} times, show each`,
  end: 'No earlier events.',
  ends: { resolved: 'resolved', expired: 'expired', over: 'over' },
  loading: 'Loading events',
} as const;
