export const texts = {
  title: 'Event',
  channel: 'Channel',
  workspace: 'Workspace',
  type: 'Type',
  received: 'Received',
  id: 'Id',
  noText: 'This event has a title only.',
} as const;
