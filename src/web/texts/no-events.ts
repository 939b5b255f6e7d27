export const texts = {
  title: 'No events yet',
  subscribe: 'If one of your devices is subscribed to a channel, the events of that channel appear here.',
  toDevices: 'Choose what to get, and where',
  send: 'Send the first one with an API key of your workspace:',
  toKeys: (workspace: string) => `Issue an API key of ${workspace}`,
  nonePass: 'Nothing found',
  showAll: 'Show all events',
} as const;
