export const texts = {
  title: 'Event',
  missing: 'This event is not here',
  missingText:
    'It may be older than what the server keeps, its channel may be gone, or it was for somebody else. The newest are in the inbox.',
  channel: 'Channel',
  workspace: 'Workspace',
  type: 'Type',
  happened: 'Happened',
  received: 'Received',
  replaces: 'Collapse key',
  timeline: 'What became of it on each device',
  id: 'Id',
  openLink: (host: string) => `Open ${host}`,
  openImage: (host: string) => `Show the image from ${host}`,
  markUnread: 'Mark as unread',
} as const;
