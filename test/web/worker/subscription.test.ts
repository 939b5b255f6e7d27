import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { aSubscription, startWorker } from './start-worker.ts';

const DEVICE = { id: 'dev_1', key: 'BKEY', endpoint: aSubscription('old').endpoint, token: 'pdev_1' };
const KEPT = { '/this-device': DEVICE };
const PUSH = { notification: { title: 'Disk full' } };
const taking = () => new Response('{}');

/** The request that reports a subscription of the device. */
function reportOf(name: string): string {
  const { endpoint, keys } = aSubscription(name).toJSON();
  return `PATCH /api/v1/devices/dev_1 ${JSON.stringify({ subscription: { endpoint, keys } })}`;
}

test('A changed subscription is reported for the device, with any old and new one that the browser names', async () => {
  const [old, next] = [aSubscription('old'), aSubscription('new')];
  for (const { event, current = null, reported } of [
    { event: { oldSubscription: old, newSubscription: next }, reported: 'new' },
    { event: { oldSubscription: null, newSubscription: next }, reported: 'new' },
    { event: {}, current: next, reported: 'new' },
    { event: { oldSubscription: old, newSubscription: null }, reported: 'made' },
    { event: { oldSubscription: null, newSubscription: null }, reported: 'made' },
    { event: {}, reported: 'made' },
  ]) {
    const { fire, asked, subscribedWith, keptUnder } = startWorker({
      server: taking,
      subscription: current,
      kept: KEPT,
    });
    await fire('pushsubscriptionchange', event);
    assert.equal(asked, [reportOf(reported)]);
    assert.equal(subscribedWith, reported === 'made' ? ['BKEY'] : []);
    assert.equal(keptUnder('/this-device'), { ...DEVICE, endpoint: aSubscription(reported).endpoint });
  }
});

test('If no page has left the device, the old subscription says which it is, and the server which key there is', async () => {
  const server = (path: string) =>
    path === '/api/v1/webpush' ? Response.json({ public_key: 'BOTHER' }) : new Response('{}', { status: 201 });
  const { fire, asked, subscribedWith } = startWorker({ server });
  await fire('pushsubscriptionchange', { oldSubscription: aSubscription('old', null) });
  assert.equal(subscribedWith, ['BOTHER']);
  assert.equal(asked.slice(1), [
    `POST /api/v1/devices ${JSON.stringify({
      platform: 'web',
      replaces: aSubscription('old').endpoint,
      subscription: aSubscription('made').toJSON(),
    })}`,
  ]);
  const stranger = startWorker({ server });
  await stranger.fire('pushsubscriptionchange', {});
  assert.equal([stranger.asked, stranger.subscribedWith], [[], []]);
});

test('A subscription that could not be reported is reported at the next push, and then no more', async () => {
  for (const failure of [503, 401]) {
    let status = failure;
    const server = () => new Response('{}', { status });
    const worker = startWorker({ server, subscription: aSubscription('new'), kept: KEPT });
    await worker.fire('pushsubscriptionchange', {});
    status = 200;
    for (let pushes = 0; pushes < 3; pushes += 1) await worker.push(PUSH);
    assert.equal(worker.asked, [reportOf('new'), reportOf('new')], `after ${failure}`);
    assert.is(worker.shown.length, 3);
  }
});

test('A push is shown and stays if its subscription cannot be reported without a network or session', async () => {
  for (const server of [undefined, () => new Response('{}', { status: 401 })]) {
    const { push, shown, asked } = startWorker({
      ...(server && { server }),
      subscription: aSubscription('new'),
      kept: KEPT,
    });
    await push(PUSH);
    assert.equal(
      shown.map(({ title }) => title),
      ['Disk full'],
    );
    assert.equal(asked, [reportOf('new')]);
  }
});

test.run();
