import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { aSandbox } from '../../support/sandbox.ts';
import { valuesOf } from '../../support/values-of.ts';
import { connectApns, postApnsOnce, providerToken } from '../../support/vendor-clients.ts';

test('a refusal on the wire has its status, its reason and the apns-id', async () => {
  await using sandbox = await aSandbox();
  const token = sandbox.token({ platform: 'ios' });
  const id = '123e4567-e89b-12d3-a456-4266554400a0';
  const cases: [Parameters<typeof postApnsOnce>[3], number, string][] = [
    [{ headers: { authorization: 'bearer x' } }, 403, 'InvalidProviderToken'],
    [{ headers: { 'apns-topic': 'com.other' } }, 400, 'TopicDisallowed'],
    [{ headers: { ':path': '/4/device/abc' } }, 404, 'BadPath'],
    [{ body: '' }, 400, 'PayloadEmpty'],
    [{ body: `{"aps":{"alert":"${'x'.repeat(200_000)}"}}` }, 413, 'PayloadTooLarge'],
  ];
  for (const [post, status, reason] of cases) {
    const headers = { 'apns-id': id, ...post?.headers };
    const answer = await postApnsOnce(sandbox, sandbox.apns.productionUrl, token, { ...post, headers });
    assert.equal([answer.status, answer.text], [status, JSON.stringify({ reason })]);
    assert.is(answer.headers['apns-id'], id);
  }
  assert.is(sandbox.counts.accepted, 0);
  assert.equal(
    valuesOf(sandbox.refused, 'reason'),
    cases.map(([, , reason]) => reason),
  );
});

test('a token of the other environment, and one that no sandbox issued, are bad device tokens', async () => {
  await using sandbox = await aSandbox();
  for (const token of [sandbox.token({ platform: 'ios', environment: 'sandbox' }), 'ab'.repeat(32)]) {
    const { status, text } = await postApnsOnce(sandbox, sandbox.apns.productionUrl, token);
    assert.equal([status, text], [400, '{"reason":"BadDeviceToken"}']);
  }
});

test('a sandbox can be set to take tokens that it did not issue', async () => {
  await using sandbox = await aSandbox({ acceptUnknownTokens: true });
  const { status } = await postApnsOnce(sandbox, sandbox.apns.sandboxUrl, 'ab'.repeat(32));
  assert.is(status, 200);
});

test('a new connection has one stream until a valid token came, and many afterwards', async () => {
  await using sandbox = await aSandbox({ maxStreams: 50 });
  const token = sandbox.token({ platform: 'ios' });
  const { session, post } = await connectApns(sandbox.apns.productionUrl, sandbox);
  assert.is(session.remoteSettings.maxConcurrentStreams, 1);
  await post(token, { headers: { authorization: `bearer ${providerToken(sandbox, { kid: 'WRONG' })}` } });
  assert.is(session.remoteSettings.maxConcurrentStreams, 1);
  const many = new Promise((resolve) => session.once('remoteSettings', resolve));
  await post(token);
  await many;
  assert.is(session.remoteSettings.maxConcurrentStreams, 50);
  const answers = await Promise.all(Array.from({ length: 200 }, () => post(token)));
  assert.ok(answers.every(({ status }) => status === 200));
  session.destroy();
});

test.run();
