import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BehaviourName } from '../support/sandbox/behaviours.ts';
import { aSandbox } from '../support/sandbox.ts';
import { connectApns, fetchAccessToken, postApnsOnce, postFcm } from '../support/vendor-clients.ts';

test('each behaviour of an iOS token shows on the wire', async () => {
  await using sandbox = await aSandbox();
  const answers: [BehaviourName, number | undefined, string, number][] = [
    ['accept', 200, '', 0],
    ['slow', 200, '', 0],
    ['unregistered', 410, 'Unregistered', 0],
    ['expired', 410, 'ExpiredToken', 0],
    ['bad_token', 400, 'BadDeviceToken', 0],
    ['foreign', 400, 'DeviceTokenNotForTopic', 0],
    ['too_many', 429, 'TooManyRequests', 0],
    ['internal_error', 500, 'InternalServerError', 0],
    ['unavailable', 503, 'ServiceUnavailable', 0],
    ['shutdown', 503, 'Shutdown', 0],
    ['reset', undefined, '', 2],
    ['garbage', 500, '{"', 0],
    ['empty', 500, '', 0],
    ['html', 502, '<html>', 0],
    ['goaway', 200, '', 0],
    ['goaway_twice', 200, '', 0],
    ['drip', 200, '         ', 0],
  ];
  for (const [behaviour, status, text, rstCode] of answers) {
    const token = sandbox.token({ platform: 'ios', behaviour, parameter: 1 });
    const answer = await postApnsOnce(sandbox, sandbox.apns.productionUrl, token);
    assert.equal([behaviour, answer.status, answer.rstCode], [behaviour, status, rstCode]);
    assert.ok(answer.text.includes(text), `${behaviour}: ${answer.text}`);
  }
});

test('each behaviour of an Android token shows on the wire', async () => {
  await using sandbox = await aSandbox();
  const accessToken = await fetchAccessToken(sandbox);
  const answers: [BehaviourName, number, string][] = [
    ['accept', 200, 'projects/pushctl-sandbox/messages/'],
    ['slow', 200, 'projects/pushctl-sandbox/messages/'],
    ['unregistered', 404, '"errorCode": "UNREGISTERED"'],
    ['bad_token', 400, '"errorCode": "INVALID_ARGUMENT"'],
    ['foreign', 403, '"errorCode": "SENDER_ID_MISMATCH"'],
    ['too_many', 429, '"errorCode": "QUOTA_EXCEEDED"'],
    ['internal_error', 500, '"errorCode": "INTERNAL"'],
    ['unavailable', 503, '"errorCode": "UNAVAILABLE"'],
    ['garbage', 500, 'oops'],
    ['empty', 500, ''],
    ['html', 502, '<!DOCTYPE html>'],
    ['goaway', 200, 'projects/'],
    ['drip', 200, 'projects/'],
  ];
  for (const [behaviour, status, text] of answers) {
    const token = sandbox.token({ platform: 'android', behaviour, parameter: 1 });
    const answer = await postFcm(sandbox, { message: { token } }, { accessToken });
    assert.equal([behaviour, answer.status], [behaviour, status]);
    assert.ok(answer.text.includes(text), `${behaviour}: ${answer.text}`);
  }
  for (const behaviour of ['reset', 'hang_up', 'cut'] as const) {
    const token = sandbox.token({ platform: 'android', behaviour });
    const error = await postFcm(sandbox, { message: { token } }, { accessToken }).catch((thrown: Error) => thrown);
    assert.instance(error, Error, behaviour);
    if (behaviour === 'reset') assert.is((error as NodeJS.ErrnoException).code, 'ECONNRESET');
  }
});

test('Retry-After comes only if the token asks for it', async () => {
  await using sandbox = await aSandbox();
  const accessToken = await fetchAccessToken(sandbox);
  const retryAfter = async (parameter: number) => {
    const token = sandbox.token({ platform: 'android', behaviour: 'too_many', parameter });
    return (await postFcm(sandbox, { message: { token } }, { accessToken })).headers['retry-after'];
  };
  assert.is(await retryAfter(0), undefined);
  assert.is(await retryAfter(7), '7');
});

test('a 410 carries the time since when the token is invalid, in milliseconds', async () => {
  await using sandbox = await aSandbox({ wallMs: () => Date.now() });
  const token = sandbox.token({ platform: 'ios', behaviour: 'unregistered' });
  const before = Date.now();
  const { text } = await postApnsOnce(sandbox, sandbox.apns.productionUrl, token);
  assert.ok(JSON.parse(text).timestamp >= before);
});

test('hang_up and cut break the APNs connection, and only cut accepts the push', async () => {
  await using sandbox = await aSandbox();
  for (const [behaviour, accepted] of [
    ['hang_up', 0],
    ['cut', 1],
  ] as const) {
    const { session, post } = await connectApns(sandbox.apns.productionUrl, sandbox);
    const closed = once(session, 'close');
    await post(sandbox.token({ platform: 'ios', behaviour }));
    await closed;
    assert.is(sandbox.counts.accepted, accepted, behaviour);
  }
});

test('a silent token holds its stream open while others on the connection are answered', async () => {
  await using sandbox = await aSandbox();
  const { session, post } = await connectApns(sandbox.apns.productionUrl, sandbox);
  await post(sandbox.token({ platform: 'ios' }));
  let ended = false;
  const silent = post(sandbox.token({ platform: 'ios', behaviour: 'silent' })).then(() => {
    ended = true;
  });
  const other = await post(sandbox.token({ platform: 'ios' }));
  assert.is(other.status, 200);
  assert.is(ended, false);
  session.destroy();
  await silent;
});

test('the graceful GOAWAY names 2^31-1 first and then the last real stream', async () => {
  await using sandbox = await aSandbox();
  const frames: number[] = [];
  const { session, post } = await connectApns(sandbox.apns.productionUrl, sandbox);
  session.on('goaway', (_code, lastStreamId) => frames.push(lastStreamId ?? -1));
  const closed = once(session, 'close');
  await post(sandbox.token({ platform: 'ios', behaviour: 'goaway_twice' }));
  await closed;
  assert.equal(frames, [2 ** 31 - 1, 1]);
});

test('a flapping token is refused and accepted in turn', async () => {
  await using sandbox = await aSandbox();
  const token = sandbox.token({ platform: 'ios', behaviour: 'flapping' });
  const statuses: (number | undefined)[] = [];
  for (let i = 0; i < 4; i++) {
    statuses.push((await postApnsOnce(sandbox, sandbox.apns.productionUrl, token)).status);
  }
  assert.equal(statuses, [503, 200, 503, 200]);
});

test.run();
