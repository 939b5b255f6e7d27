import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
import { ORIGIN, startWorker } from './start-worker.ts';

const never = () => new Promise<never>(() => {});
const full = async () => {
  throw new DOMException('Quota exceeded.', 'QuotaExceededError');
};
const empty = { match: async () => undefined, keys: async () => [], delete: async () => false };
/** Storage that does not answer, or fails, at one of its steps or at all of them. */
const STORAGES: Readonly<Record<string, object>> = {
  'match hangs': { match: never, open: async () => empty, has: async () => false },
  'open hangs': { match: async () => undefined, open: never, has: async () => false },
  'all hangs': { match: never, open: never, has: never, keys: never, delete: never },
  'all fails': { match: full, open: full, has: full, keys: full, delete: full },
  'put hangs': { match: async () => undefined, has: async () => false, open: async () => ({ ...empty, put: never }) },
};
const DATA = { workspace: 'acme', channel: 'alerts', event_id: 'evt_1', url: 'https://status.example.com/db-1' };
const answering = () => new Response('asset', { status: 200 });

for (const [name, caches] of Object.entries(STORAGES)) {
  test(`If ${name}, a push is shown with the slug of its channel`, async () => {
    const { push, shown } = startWorker({ caches });
    void push({ notification: { title: 'Disk full', body: 'db-1', data: DATA } });
    await until('it is shown', () => shown.length === 1);
    assert.is(shown[0]?.body, 'db-1\nalerts');
  });
}

test("If storage hangs, a click leads to its page, a signed-out one to its alert's button, and assets come from the server", async () => {
  const caches = STORAGES['all hangs'];
  if (caches === undefined) throw new Error('There is such a storage.');
  const server = (path: string) => (path.startsWith('/api/') ? new Response('{}', { status: 401 }) : answering());
  const worker = startWorker({ caches, server });
  const notification = { close: () => {}, data: { event_id: 'evt_1', alert_id: 'evt_2', navigate: '/events/evt_1' } };
  await worker.fire('notificationclick', { action: '', notification });
  await worker.fire('notificationclick', { action: 'acknowledge', notification });
  assert.equal(worker.opened, [`${ORIGIN}/events/evt_1`, `${ORIGIN}/events/evt_2`]);
  assert.is(await (await worker.request('/assets/main.js'))?.text(), 'asset');
});

test('Without the server an asset comes from storage, however long that takes', async () => {
  let answer = (_asset: Response): void => {};
  const caches = { match: () => new Promise<Response>((resolve) => (answer = resolve)) };
  const { request, asked } = startWorker({ caches });
  const coming = request('/assets/main.js');
  await until('the server was asked', () => asked.length === 1);
  answer(new Response('kept'));
  assert.is(await (await coming)?.text(), 'kept');
});

test('A page comes from storage if the server does not answer in time, and from the server if it does', async () => {
  const kept = { '/': 'kept' };
  const hanging = startWorker({ kept, isHurried: true, server: () => new Promise(() => {}) });
  assert.is(await (await hanging.request('/alerts', 'navigate'))?.json(), 'kept');
  const answering = startWorker({ kept, server: () => Response.json('new') });
  assert.is(await (await answering.request('/alerts', 'navigate'))?.json(), 'new');
});

test.run();
