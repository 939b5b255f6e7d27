import { test } from 'uvu';
import * as assert from 'uvu/assert';
import webPush from 'web-push';
import type { WebPushRoute } from '../../../src/contract/push-services.ts';
import { PROVIDERS } from '../../../src/push.ts';
import type { Sandbox } from '../../support/sandbox/start.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { answerText, issuedSubscription, NO_ENDPOINT, OUR_KEYS, postWebPush } from '../../support/web-push.ts';

const OTHER_KEYS = webPush.generateVAPIDKeys();

test('The journal has what a push says, decrypted, with its headers', async () => {
  await using sandbox = await aSandbox();
  const largest = 'x'.repeat(3993 - '{"title":""}'.length);
  for (const service of PROVIDERS.webpush.routes) {
    const subscription = issuedSubscription(sandbox, { service });
    const answer = await postWebPush(sandbox, subscription, { payload: { title: largest } });
    assert.is(answer.status, 201);
    const push = sandbox.pushes.at(-1);
    assert.equal([push?.endpoint, push?.token], [service, subscription.endpoint]);
    assert.equal([push?.payload, push?.isSealed, push?.headers.ttl], [{ title: largest }, undefined, '3600']);
  }
});

test('A push that was encrypted with other keys is taken all the same, and says that it cannot be read', async () => {
  await using sandbox = await aSandbox();
  const subscription = issuedSubscription(sandbox, {});
  const { keys } = issuedSubscription(sandbox, {});
  assert.is((await postWebPush(sandbox, { ...subscription, keys })).status, 201);
  assert.equal([sandbox.pushes[0]?.payload, sandbox.pushes[0]?.isSealed], [{}, true]);
});

test('A subscription that was made with a key takes pushes of no other, and one without takes those of any', async () => {
  await using sandbox = await aSandbox();
  const bound = issuedSubscription(sandbox, { vapidKey: OUR_KEYS.publicKey });
  assert.is((await postWebPush(sandbox, bound)).status, 201);
  assert.is((await postWebPush(sandbox, bound, { vapid: OTHER_KEYS })).status, 401);
  assert.is((await postWebPush(sandbox, issuedSubscription(sandbox, {}), { vapid: OTHER_KEYS })).status, 201);
});

test('After an unsubscription a service says that it is gone, and of an address that it never gave another thing', async () => {
  await using sandbox = await aSandbox();
  const texts: string[] = [];
  for (const service of PROVIDERS.webpush.routes) {
    const subscription = issuedSubscription(sandbox, { service });
    sandbox.webpush.unsubscribe(subscription.endpoint);
    const unknown = { ...subscription, endpoint: `${subscription.endpoint.slice(0, -1)}` };
    texts.push(answerText(await postWebPush(sandbox, subscription)), answerText(await postWebPush(sandbox, unknown)));
  }
  assert.equal(texts, [
    '410 push subscription has unsubscribed or expired.',
    NO_ENDPOINT,
    '410 106 No such subscription',
    '404 102 Invalid token',
    '410 Unregistered',
    '404 BadPath',
    '410 The channel expired.',
    '404 The channel is not valid.',
    '410 Gone',
    '404 Not Found',
  ]);
});

test("An error of Mozilla's has all the fields of autopush's, and the headers that go with its status", async () => {
  await using sandbox = await aSandbox();
  const { text, headers } = await refusedWith(sandbox, 'webpush_mozilla', 'UAID not found');
  assert.equal(JSON.parse(text), {
    code: 410,
    errno: 103,
    error: 'Gone',
    message: 'UAID not found',
    more_info: 'http://autopush.readthedocs.io/en/latest/http.html#error-codes',
  });
  assert.is(headers['cache-control'], 'max-age=86400');
  const busy = await refusedWith(sandbox, 'webpush_mozilla', 'Database error while saving notification');
  assert.equal([busy.status, busy.headers['retry-after']], [503, '120']);
});

test("Microsoft's 201 may say that the push was dropped", async () => {
  await using sandbox = await aSandbox();
  const { status, headers } = await refusedWith(sandbox, 'webpush_microsoft', 'dropped');
  assert.equal([status, headers['x-wns-notificationstatus']], [201, 'dropped']);
  assert.equal([sandbox.counts.accepted, sandbox.refused[0]?.reason], [0, 'dropped']);
});

test('Each service can be set to answer anything, and its endpoints can carry a behaviour', async () => {
  await using sandbox = await aSandbox();
  assert.is((await refusedWith(sandbox, 'webpush_google', 'UnauthorizedRegistration')).status, 400);
  assert.is((await refusedWith(sandbox, 'webpush_apple', 'WhoKnows', 418)).status, 418);
  const busy = issuedSubscription(sandbox, { service: 'webpush_google', behaviour: 'too_many', parameter: 7 });
  assert.is((await postWebPush(sandbox, busy)).headers['retry-after'], '7');
  const flapping = issuedSubscription(sandbox, { service: 'webpush_apple', behaviour: 'flapping' });
  const [first, second] = [await postWebPush(sandbox, flapping), await postWebPush(sandbox, flapping)];
  assert.equal([first.status, second.status], [503, 201]);
  const reset = issuedSubscription(sandbox, { behaviour: 'reset' });
  assert.is(await postWebPush(sandbox, reset).catch((error: NodeJS.ErrnoException) => error.code), 'ECONNRESET');
  await sandbox.setOutage('webpush_mozilla', 'refused');
  const refused = await postWebPush(sandbox, reset).catch((error: NodeJS.ErrnoException) => error.code);
  assert.is(refused, 'ECONNREFUSED');
});

test.run();

async function refusedWith(sandbox: Sandbox, service: WebPushRoute, reason: string, status?: number) {
  const answer = { kind: 'refuse', reason, ...(status !== undefined && { status }) } as const;
  using _ = { [Symbol.dispose]: sandbox.behave({ match: { endpoint: service }, answer }) };
  return await postWebPush(sandbox, issuedSubscription(sandbox, { service }));
}
