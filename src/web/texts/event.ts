export const texts = {
  title: 'Event',
  channel: 'Channel',
  workspace: 'Workspace',
  type: 'Type',
  received: 'Received',
  replaces: 'Collapse key',
  timeline: 'What became of it on each device',
  id: 'Id',
  noText: 'This event has a title only.',
} as const;
