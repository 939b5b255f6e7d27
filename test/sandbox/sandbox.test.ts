import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { startSandbox } from '../support/sandbox/start.ts';
import { until } from '../support/until.ts';
import { fetchAccessToken, postApnsOnce, postFcm } from '../support/vendor-clients.ts';

test('a good push to each environment and to FCM is accepted and remembered in order', async () => {
  await using sandbox = await startSandbox();
  const production = sandbox.token({ platform: 'ios', environment: 'production' });
  const development = sandbox.token({ platform: 'ios', environment: 'sandbox' });
  const android = sandbox.token({ platform: 'android' });

  const first = await postApnsOnce(sandbox, sandbox.apns.productionUrl, production);
  const second = await postApnsOnce(sandbox, sandbox.apns.sandboxUrl, development);
  const accessToken = await fetchAccessToken(sandbox);
  const third = await postFcm(sandbox, { message: { token: android, data: { title: 'Hello' } } }, { accessToken });

  assert.equal([first.status, second.status, third.status], [200, 200, 200]);
  assert.equal(
    sandbox.pushes.map(({ number, endpoint, token }) => ({ number, endpoint, token })),
    [
      { number: 1, endpoint: 'apns_production', token: production },
      { number: 2, endpoint: 'apns_sandbox', token: development },
      { number: 3, endpoint: 'fcm', token: android },
    ],
  );
  assert.equal(sandbox.pushes[0]?.messageId, first.headers['apns-id']);
  assert.equal(sandbox.pushes[2]?.messageId, JSON.parse(third.text).name);
  assert.equal(sandbox.pushes[2]?.payload.data, { title: 'Hello' });
});

test('waiting for a push finds one that came before, one that comes later, and gives up at the deadline', async () => {
  await using sandbox = await startSandbox();
  const token = sandbox.token({ platform: 'ios' });
  const coming = sandbox.waitForPush((push) => push.token === token);
  await postApnsOnce(sandbox, sandbox.apns.productionUrl, token);
  assert.is((await coming).number, 1);
  assert.is((await sandbox.waitForPush((push) => push.token === token)).number, 1);
  const missing = await sandbox.waitForPush(() => false, 1).catch((error: Error) => error.message);
  assert.match(String(missing), /no such push within 1 ms \(1 accepted, 0 refused\)/);
});

test('with record count, pushes are counted and shown to listeners but not kept', async () => {
  await using sandbox = await startSandbox({ record: 'count' });
  const seen: number[] = [];
  sandbox.onPush((push) => seen.push(push.number));
  await postApnsOnce(sandbox, sandbox.apns.productionUrl, sandbox.token({ platform: 'ios' }));
  assert.equal(sandbox.counts, { accepted: 1, refused: 0 });
  assert.equal(seen, [1]);
  assert.is(sandbox.pushes.length, 0);
});

test('a sandbox that is restored from written credentials keeps its keys and its CA', async () => {
  const dir = temporaryFolder();
  await using opened = new Resources();
  const first = opened.add(await startSandbox());
  const settings = await first.writeCredentials(dir);
  await first.close();
  const second = opened.add(await startSandbox({ restoreFrom: dir }));
  assert.equal(second.apnsKey, first.apnsKey);
  assert.is(second.caPem, first.caPem);
  assert.is(second.serviceAccount.private_key, first.serviceAccount.private_key);
  assert.is(second.serviceAccount.token_uri, second.fcm.tokenUrl);
  assert.is(settings.apns.key_file, join(dir, 'apns.p8'));
  const answer = await postApnsOnce(first, second.apns.productionUrl, first.token({ platform: 'ios' }));
  assert.is(answer.status, 200);
});

test('a sandbox of which one port is taken does not start, and leaves nothing listening', async () => {
  await using opened = new Resources();
  const other = createServer().listen(0, '127.0.0.1');
  opened.onEnd(() => other.close());
  await once(other, 'listening');
  const taken = (other.address() as AddressInfo).port;
  const onlyOther = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length === 1;
  // A server is there for a moment after it was closed.
  await until('those of the tests before are gone', onlyOther);
  // Not the first, nor any that the others wait for.
  const error = await startSandbox({ firstPort: taken - 2 }).catch((thrown: NodeJS.ErrnoException) => thrown);
  assert.is((error as NodeJS.ErrnoException).code, 'EADDRINUSE');
  await until('all are closed', onlyOther);
});

test('written credentials can be read by their owner only', async () => {
  await using sandbox = await startSandbox();
  const dir = join(temporaryFolder(), 'credentials');
  await sandbox.writeCredentials(dir);
  const names = await readdir(dir);
  assert.ok(names.includes('apns.p8'));
  for (const name of names) assert.is((await stat(join(dir, name))).mode & 0o777, 0o600, name);
});

test.run();
