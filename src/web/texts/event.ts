export const texts = {
  title: 'Event',
  missing: 'Event not found',
  missingText:
    'It may be too old to be kept, its channel may be deleted, or it was not meant for you. The newest events are in the inbox.',
  channel: 'Channel',
  workspace: 'Workspace',
  type: 'Type',
  happened: 'Happened',
  received: 'Received',
  replaces: 'Collapse key',
  timeline: 'Deliveries',
  id: 'ID',
  quiet: 'Quiet',
  openLink: (host: string) => `Open ${host}`,
  openImage: (host: string) => `Show the image from ${host}`,
  markUnread: 'Mark as unread',
} as const;
