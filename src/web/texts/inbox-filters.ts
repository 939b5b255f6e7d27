export const texts = {
  label: 'Filter the inbox',
  search: 'Search titles and texts',
  workspace: 'Workspace',
  allWorkspaces: 'All workspaces',
  channel: 'Channel',
  allChannels: 'All channels',
  level: 'Level',
  allLevels: 'All levels',
} as const;
