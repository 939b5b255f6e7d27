import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import apn from '@parse/node-apn';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { valuesOf } from '../support/values-of.ts';
import { fetchAccessToken } from '../support/vendor-clients.ts';

test('node-apn has a push accepted, and reads why another was not', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { pem, keyId, teamId } = sandbox.apnsKey;
  const provider = new apn.Provider({
    token: { key: pem, keyId, teamId },
    production: true,
    connectionRetryLimit: 0,
    ...{ address: '127.0.0.1', port: Number(new URL(sandbox.apns.productionUrl).port), ca: [sandbox.caPem] },
  });
  opened.onEnd(() => new Promise<void>((resolve) => provider.shutdown(() => resolve())));
  const good = sandbox.token({ platform: 'ios' });
  const gone = sandbox.token({ platform: 'ios', behaviour: 'unregistered' });
  const notification = new apn.Notification();
  Object.assign(notification, { topic: sandbox.topic, pushType: 'alert', rawPayload: { aps: { alert: 'Hello' } } });
  const { sent, failed } = await provider.send(notification, [good, gone]);
  assert.equal(valuesOf(sent, 'device'), [good]);
  assert.equal([failed[0]?.device, failed[0]?.response?.reason], [gone, 'Unregistered']);
  assert.equal(sandbox.pushes[0]?.payload, { aps: { alert: 'Hello' } });
});

test('firebase-admin has a push accepted, and reads why another was not', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const httpAgent = agentFor(sandbox);
  opened.onEnd(() => httpAgent.destroy());
  const credential = {
    getAccessToken: async () => ({ access_token: await fetchAccessToken(sandbox), expires_in: 3600 }),
  };
  const projectId = sandbox.serviceAccount.project_id;
  const app = initializeApp({ projectId, httpAgent, credential }, 'sandbox');
  opened.onEnd(() => deleteApp(app));
  const messaging = getMessaging(app);
  const name = await messaging.send({
    token: sandbox.token({ platform: 'android' }),
    data: { title: 'Hello' },
    android: { priority: 'high', ttl: 3_600_000 },
  });
  assert.is(name, sandbox.pushes[0]?.messageId);
  assert.equal(sandbox.pushes[0]?.payload.android, { priority: 'high', ttl: '3600s' });
  const gone = sandbox.token({ platform: 'android', behaviour: 'unregistered' });
  const code = await messaging.send({ token: gone, data: {} }).catch((error: { code: string }) => error.code);
  assert.is(code, 'messaging/registration-token-not-registered');
});

/** firebase-admin only speaks to fcm.googleapis.com, so its connections are led to the sandbox. */
function agentFor(sandbox: Sandbox): https.Agent {
  class SandboxAgent extends https.Agent {
    override createConnection(): Duplex {
      return tls.connect({
        host: '127.0.0.1',
        port: Number(new URL(sandbox.fcm.url).port),
        servername: 'fcm.googleapis.com',
        ca: sandbox.caPem,
      });
    }
  }
  return new SandboxAgent({ keepAlive: true });
}

test.run();
