export const texts = {
  title: 'Channels',
  loading: 'Loading channels',
  onNone: 'on none of your devices',
  onAll: 'on all of your devices',
  onSome: (count: string, all: string) => `on ${count} of your ${all} devices`,
  inactive: 'inactive: nothing is sent at the moment',
  noDevicesTitle: 'You have no device yet',
  noDevices: 'Notifications need a device. Start with this browser, or sign in with an app on a phone.',
  toDevices: 'Add this browser',
  noneTitle: 'No channels yet',
  none: 'A channel is a topic to subscribe to, such as deploys or backups. Owners and admins of the workspace create them.',
  make: (workspace: string) => `Create one in ${workspace}`,
} as const;
