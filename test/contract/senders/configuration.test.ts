import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inForm } from '../../../src/contract/api-key.ts';
import { SENDER_NAMES } from '../../../src/contract/senders/names.ts';
import { SENDERS } from '../../../src/contract/senders/table.ts';

const KEY = 'pctl_fakefakefake_0123456789abcdefghjkmnpqrstvwxyz0000';
const FORMED = 'fakefakefake0123456789abcdefghjkmnpqrstvwxyz0000';

const EXPECTED = {
  ntfy: `Server: https://x/senders/ntfy\nTopic: alerts\nAccess token: tk_${FORMED}`,
  gotify: `Server URL: https://x/senders/gotify\nApplication token: gtfya.${FORMED}`,
  alertmanager: `receivers:
  - name: pushctl
    webhook_configs:
      - url: https://x/senders/alertmanager/alerts
        max_alerts: 100
        http_config:
          authorization:
            credentials: ${KEY}`,
  grafana: `apiVersion: 1
contactPoints:
  - orgId: 1
    name: pushctl
    receivers:
      - uid: pushctl
        type: webhook
        settings:
          url: https://x/senders/grafana/alerts
          httpMethod: POST
          authorization_scheme: Bearer
          authorization_credentials: ${KEY}`,
  slack: `https://x/senders/slack/${KEY}`,
  pagerduty: `URL: https://x/senders/pagerduty/v2/enqueue\nRouting key: ${KEY}`,
  mail: [
    'SMTP server: x; with STARTTLS on the port of [senders.smtp] listen, or with SSL/TLS on the port of listen_tls',
    'To: alerts@x',
    'User name: pushctl',
    `Password: tk_${FORMED}`,
    `If you cannot set a password, To: alerts+tk_${FORMED}@x`,
  ].join('\n'),
  json: [
    'URL: https://x/senders/json/alerts?title={subject}&description={message}',
    `Header: Authorization: Bearer ${KEY}`,
    `If you cannot set a header, add to the URL: &token=${KEY}`,
  ].join('\n'),
};

test('the values to enter in a sender have its address, and the key in the form that it takes', () => {
  for (const name of SENDER_NAMES) {
    const { configuration, keyForm } = SENDERS[name];
    const key = inForm(keyForm, KEY);
    assert.is(configuration({ address: `https://x/senders/${name}`, channel: 'alerts', key }), EXPECTED[name]);
  }
});

test.run();
