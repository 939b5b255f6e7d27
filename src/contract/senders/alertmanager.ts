import { type AlertGroup, linesOf, publishAlerts, type Told, titleOf } from './alerts.ts';
import { textOf } from './bodies.ts';
import type { Publication, SenderFormat, SenderRequest } from './format.ts';

/**
 * Alertmanager's webhook, version 4: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config. One event
 * for each notification about a group; one of a later state of the group takes its place.
 */
export const ALERTMANAGER: SenderFormat = {
  keys: [{ in: 'authorization' }],
  keyForm: 'pctl_',
  // It takes any 4xx for final, 429 included: https://github.com/prometheus/alertmanager/blob/main/notify/util.go
  retriesAfter429: false,
  addresses: [{ methods: ['post'], path: '/{channel}', act: { publish, takesLarge: true } }],
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

function publish(request: SenderRequest): Publication | null {
  return publishAlerts(request, tell);
}

function tell(group: AlertGroup): Told {
  return { title: titleOf(group), text: linesOf(group), url: linkOf(group), image: '' };
}

/** Of a single alert what has raised it, of several Alertmanager itself. */
function linkOf({ alerts: [only, another], externalUrl }: AlertGroup): string {
  return (another === undefined && textOf(only?.body.generatorURL)) || externalUrl;
}
