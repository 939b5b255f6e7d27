import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Opened } from '../../support/opened.ts';
import { startSandbox } from '../../support/sandbox/start.ts';
import { issuedSubscription } from '../../support/web-push.ts';
import { openWebPush } from './bare-web-push.ts';

test('What the bare sender of Web Push encrypts can be read by its browser', async () => {
  await using opened = new Opened();
  const sandbox = opened.add(await startSandbox());
  const subscription = issuedSubscription(sandbox, { service: 'webpush_mozilla' });
  const access = { caPem: sandbox.caPem, mozillaUrl: sandbox.webpush.urls.webpush_mozilla };
  const send = openWebPush(access, Buffer.from('{"title":"Disk full"}'));
  await send(subscription);
  assert.equal(
    sandbox.pushes.map(({ token, payload }) => [token, payload]),
    [[subscription.endpoint, { title: 'Disk full' }]],
  );
});

test.run();
