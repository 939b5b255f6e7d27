import { ALERTMANAGER } from './alertmanager.ts';
import type { SenderFormat } from './format.ts';
import { GOTIFY } from './gotify.ts';
import { GRAFANA } from './grafana.ts';
import { JSON_FIELDS } from './json.ts';
import { NTFY } from './ntfy.ts';
import { PAGERDUTY } from './pagerduty.ts';
import { SLACK } from './slack.ts';

/** The formats, by the name that stands in their addresses: `/senders/<name>`. */
export const SENDERS = {
  ntfy: NTFY,
  gotify: GOTIFY,
  alertmanager: ALERTMANAGER,
  grafana: GRAFANA,
  slack: SLACK,
  pagerduty: PAGERDUTY,
  json: JSON_FIELDS,
} as const satisfies Readonly<Record<string, SenderFormat>>;

export type SenderName = keyof typeof SENDERS;

export const SENDER_NAMES = Object.keys(SENDERS) as readonly SenderName[];

/** The address below which the formats are, each under its name. */
export const SENDERS_BASE = '/senders';
