export const texts = {
  title: 'Event',
  channel: 'Channel',
  workspace: 'Workspace',
  type: 'Type',
  happened: 'Happened',
  received: 'Received',
  replaces: 'Collapse key',
  timeline: 'What became of it on each device',
  id: 'Id',
} as const;
