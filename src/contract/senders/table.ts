import { ALERTMANAGER } from './alertmanager.ts';
import type { SenderFormat } from './format.ts';
import { GOTIFY } from './gotify.ts';
import { GRAFANA } from './grafana.ts';
import { JSON_FIELDS } from './json.ts';
import { MAIL } from './mail.ts';
import type { SenderName } from './names.ts';
import { NTFY } from './ntfy/ntfy.ts';
import { PAGERDUTY } from './pagerduty.ts';
import { SLACK } from './slack.ts';

export const SENDERS: Readonly<Record<SenderName, SenderFormat>> = {
  ntfy: NTFY,
  gotify: GOTIFY,
  alertmanager: ALERTMANAGER,
  grafana: GRAFANA,
  slack: SLACK,
  pagerduty: PAGERDUTY,
  json: JSON_FIELDS,
  mail: MAIL,
};
