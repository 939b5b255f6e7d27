export const texts = {
  title: 'Devices',
  about:
    'What the members registered here. Everybody looks after their own, below Devices in their own part of the app.',
  inactive: 'inactive',
  registered: 'registered',
  noChannels: 'no channel',
  sandbox: 'Apple sandbox',
  emptyTitle: 'No devices yet',
  emptyText: 'A member signs in to this app on a phone or computer and allows notifications there.',
} as const;
