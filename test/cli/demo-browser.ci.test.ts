import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startDemo } from '../../src/cli/demo/run.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fetchReply } from '../support/http.ts';
import { Resources } from '../support/resources.ts';
import { startSandbox } from '../support/sandbox/start.ts';
import { issuedSubscription } from '../support/web-push.ts';

const test = suite('cli: demo in a browser');

test('The link of the demo signs its reader in, and a browser that becomes a device gets an event.', async () => {
  await using opened = new Resources();
  const services = opened.add(await startSandbox());
  const { webpush } = await services.writeCredentials(temporaryFolder());
  const lines: string[] = [];
  const output = { say: (line: string) => lines.push(line), posted: () => {}, arrived: () => {} };
  const demo = await startDemo({ folder: temporaryFolder(), port: 0, webpush }, output);
  opened.onEnd(() => demo.stop());

  const [, url = '', code] = /^(http:\/\/127\.0\.0\.1:\d+)\/#pair=(.*)$/m.exec(lines.join('\n')) ?? [];
  const session = await fetchReply(url, '/api/v1/session', { method: 'POST', body: { pairing_code: code } });
  const { token: key } = session.body.session as { token: string };
  const { body: vapid } = await fetchReply(url, '/api/v1/webpush', { key });
  assert.is(vapid.contact_configured, true);
  const subscription = issuedSubscription(services, { vapidKey: String(vapid.public_key) });
  const device = { platform: 'web', subscription };
  assert.is((await fetchReply(url, '/api/v1/devices', { method: 'POST', key, body: device })).status, 201);
  await services.waitForPush(({ payload }) => JSON.stringify(payload).includes('This browser is a device now'));
});

test.run();
