export const texts = {
  label: 'Filter the inbox',
  search: 'Search titles and texts',
  workspace: 'Workspace',
  allWorkspaces: 'All workspaces',
  channel: 'Channel',
  allChannels: 'All channels',
  level: 'Level',
  allLevels: 'All levels',
  withUnread: (channel: string, count: string) => `${channel} (${count} unread)`,
  unread: 'Read or unread',
  readToo: 'Read and unread',
  unreadOnly: 'Unread only',
} as const;
