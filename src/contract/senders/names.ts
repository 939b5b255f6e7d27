/** The formats' names in `/senders/<name>`; `table.ts` has the formats. */
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

export const SENDERS_BASE = '/senders';
