import { type AlertGroup, type AlertText, alertLines, publishAlerts, titleOf } from './alerts.ts';
import type { Publication, SenderFormat, SenderRequest } from './format.ts';

/**
 * Alertmanager's webhook, version 4: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config. Each
 * notification is an event, replaced by the group's later states.
 */
export const ALERTMANAGER: SenderFormat = {
  keys: [{ in: 'authorization' }],
  keyForm: 'pctl_',
  // Alertmanager never retries a 4xx, even 429: https://github.com/prometheus/alertmanager/blob/main/notify/util.go
  retriesAfter429: false,
  addresses: [{ methods: ['post'], path: '/{channel}', act: { publish } }],
  error: ({ message }) => ({ message }),
  configuration: ({ address, channel, key }) => `receivers:
  - name: pushctl
    webhook_configs:
      - url: ${address}/${channel}
        max_alerts: 100
        http_config:
          authorization:
            credentials: ${key}`,
};

function publish(request: SenderRequest): Promise<Publication | null> {
  return publishAlerts(request, textFor);
}

function textFor(group: AlertGroup): AlertText {
  return { title: titleOf(group), text: alertLines(group), url: linkOf(group), image: '' };
}

/** Returns the runbook or dashboard shared by the group's alerts, else Alertmanager's address. */
function linkOf({ commonAnnotations, externalUrl }: AlertGroup): string {
  const links = ['runbook_url', 'dashboard_url'].map((name) => commonAnnotations.get(name)?.trim() ?? '');
  return links.find((link) => /^https?:\/\//.test(link)) ?? externalUrl;
}
