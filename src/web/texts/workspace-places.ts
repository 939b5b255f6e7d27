/** Places missing in the common texts. */
export const texts = {
  overview: 'Overview',
  events: 'Events',
  send: 'Send',
  heartbeats: 'Heartbeats',
  onCall: 'On call',
  keys: 'API keys',
  webhooks: 'Webhooks',
  members: 'Members',
  audit: 'Audit log',
  workspace: 'Workspace:',
} as const;
