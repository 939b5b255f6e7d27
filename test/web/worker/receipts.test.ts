import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { KnownDevice } from '../../../src/web/messages.ts';
import { report } from '../../../src/web/worker/receipts.ts';

const ID = 'evt_01m7y7qp55ea087ggd7fpjkv29';
const PUSH = { event_id: 'evt_01m7yq1whvehx9w1n0h5r0c6ct', receipt: ID };
const DEVICE: KnownDevice = { id: 'dev_1', key: 'BKEY', endpoint: 'https://push.example', token: 'pdev_1' };
const AT_MS = Date.UTC(2026, 10, 21, 9, 30);
const AT = '2026-11-21T09:30:00.000Z';

/** A worker and its server, which answers with these statuses in turns; 0: there is no network. */
function aWorker(statuses: readonly number[], device: KnownDevice | null = DEVICE) {
  const asked: { url: string; authorization: unknown; body: { earlier: object[] } }[] = [];
  const entries = new Map<string, string>();
  let known = device;
  const ask = async (url: unknown, { headers, body }: RequestInit = {}) => {
    const status = statuses[asked.length] ?? 204;
    const { Authorization: authorization } = headers as Record<string, string>;
    asked.push({ url: String(url), authorization, body: JSON.parse(String(body)) });
    if (status === 0) throw new TypeError('no network');
    return new Response(null, { status });
  };
  const kept = {
    keys: async () => [...entries.keys()].map((url) => ({ url })),
    match: async (key: string) => new Response(entries.get(key)),
    put: async (key: string, answer: Response) => void entries.set(key, await answer.text()),
    delete: async (key: string) => entries.delete(key),
  };
  const keeper = {
    find: async () => known,
    async keep(device: KnownDevice) {
      known = device;
    },
  };
  const send = (data: unknown, opened = false) =>
    report(data, opened, keeper, ask as typeof fetch, async () => kept as never, AT_MS);
  return { asked, entries, send, device: () => known };
}

test('A push that asks for it is reported once it was shown, and once it was opened', async () => {
  const { asked, send } = aWorker([]);
  await send(PUSH);
  await send(PUSH, true);
  const of = { url: '/api/v1/devices/dev_1/shown', authorization: 'Bearer pdev_1' };
  assert.equal(asked, [
    { ...of, body: { event_id: ID, at: AT, earlier: [] } },
    { ...of, body: { event_id: ID, at: AT, opened: true, earlier: [] } },
  ]);
});

test('Other pushes are not reported, and neither are those of a browser without a device token', async () => {
  const { asked, send } = aWorker([]);
  for (const data of [{ event_id: ID }, { receipt: 'x' }, {}, null]) await send(data);
  const withoutToken = aWorker([], { ...DEVICE, token: null });
  await withoutToken.send(PUSH);
  const noDevice = aWorker([], null);
  await noDevice.send(PUSH);
  assert.equal([asked, withoutToken.asked, noDevice.asked], [[], [], []]);
});

test('At most 20 reports are kept without a network and sent along with the next one', async () => {
  const statuses = [...Array(28).fill(0), 503, 429];
  const { asked, entries, send } = aWorker(statuses);
  const idOf = (nth: number) => `evt_01m7y7qp55ea087ggd7fpjk${String(nth).padStart(3, '0')}`;
  for (const nth of statuses.keys()) await send({ receipt: idOf(nth) });
  assert.is(entries.size, 20);
  await send(PUSH);
  const sent = asked.at(-1)?.body.earlier.map((report) => (report as { event_id: string }).event_id);
  assert.equal(sent, [...statuses.keys()].slice(-20).map(idOf));
  assert.is(entries.size, 0);
});

test('Reports that the server refuses are dropped, and a wrong token with them', async () => {
  const { entries, send, device } = aWorker([0, 404, 0, 401]);
  await send(PUSH);
  await send(PUSH, true);
  assert.equal([entries.size, device()?.token], [0, 'pdev_1']);
  await send(PUSH);
  await send(PUSH, true);
  assert.equal([entries.size, device()?.token], [0, null]);
});

test.run();
