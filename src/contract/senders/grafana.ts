import { type AlertGroup, type AlertText, alertLines, hasStory, publishAlerts, titleOf } from './alerts.ts';
import { textOf } from './bodies.ts';
import type { Publication, SenderFormat, SenderRequest } from './format.ts';
import { plainMarkdown } from './marks.ts';

/**
 * Grafana's webhook contact point:
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
export const GRAFANA: SenderFormat = {
  keys: [{ in: 'authorization' }],
  keyForm: 'pctl_',
  // Its notifications go the way of Alertmanager's.
  retriesAfter429: false,
  addresses: [{ methods: ['post', 'put'], path: '/{channel}', act: { publish } }],
  error: ({ message }) => ({ message }),
  configuration: ({ address, channel, key }) => `apiVersion: 1
contactPoints:
  - orgId: 1
    name: pushctl
    receivers:
      - uid: pushctl
        type: webhook
        settings:
          url: ${address}/${channel}
          httpMethod: POST
          authorization_scheme: Bearer
          authorization_credentials: ${key}`,
};

function publish(request: SenderRequest): Promise<Publication | null> {
  return publishAlerts(request, textFor);
}

async function textFor(group: AlertGroup): Promise<AlertText> {
  const title = textOf(group.body.title) || titleOf(group);
  return { title, text: await messageOf(group), url: linkOf(group), image: imageOf(group) };
}

/** Prefers alerts' own text to Grafana's default template of labels and links. */
async function messageOf(group: AlertGroup): Promise<string> {
  const message = textOf(group.body.message).trim();
  const isTemplate = /^\*\*(?:Firing|Resolved)\*\*/.test(message);
  return message === '' || (isTemplate && hasStory(group)) ? alertLines(group) : plainMarkdown(message);
}

/** Returns the first alert's panel, else the source; Grafana itself for several rules. */
function linkOf({ alerts, externalUrl }: AlertGroup): string {
  const rules = new Set(alerts.map(({ body }) => textOf(body.generatorURL)));
  const { panelURL, dashboardURL, generatorURL } = alerts[0]?.body ?? {};
  const own = [panelURL, dashboardURL, generatorURL].map(textOf).find((url) => url !== '');
  return (rules.size <= 1 ? own : undefined) ?? externalUrl;
}

function imageOf({ alerts }: AlertGroup): string {
  return alerts.map(({ body }) => textOf(body.imageURL)).find((url) => url !== '') ?? '';
}
