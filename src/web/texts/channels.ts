export const texts = {
  title: 'Channels',
  loading: 'Loading channels',
  onNone: 'on none of your devices',
  onAll: 'on all of your devices',
  onSome: (count: string, all: string) => `on ${count} of your ${all} devices`,
  inactive: 'inactive: nothing is sent at present',
  noDevicesTitle: 'No device of yours yet',
  noDevices: 'Alerts need somewhere to show. Make this browser the first, or sign in with an app on a phone.',
  toDevices: 'Add this browser',
  noneTitle: 'No channels yet',
  none: 'A channel is what one subscribes to: deploys, backups, a shop. Whoever runs the workspace makes them.',
  make: (workspace: string) => `Make one in ${workspace}`,
} as const;
