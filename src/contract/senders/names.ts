/** The formats that there are, by the name that stands in their addresses: `/senders/<name>`. What each is, `table.ts` has. */
export const SENDER_NAMES = [
  'ntfy',
  'gotify',
  'alertmanager',
  'grafana',
  'slack',
  'pagerduty',
  'json',
  'mail',
] as const;

export type SenderName = (typeof SENDER_NAMES)[number];

/** The address below which the formats are, each under its name. */
export const SENDERS_BASE = '/senders';
