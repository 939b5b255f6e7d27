import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keepLinks } from '../../../src/web/worker/receipts.ts';

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;

function aCache() {
  const kept = new Map<string, string>();
  const whole = (address: unknown) => new URL(String(address), 'https://push.example.com').href;
  const cache = {
    put: async (address: unknown, { body }: Response) => {
      kept.set(whole(address), await new Response(body).text());
    },
    delete: async (address: unknown) => kept.delete(whole(address)),
    keys: async () => [...kept.keys()].map((url) => ({ url })),
  };
  const keep = (data: unknown, nowMs = NOW_MS, image?: string) => keepLinks(data, image, async () => cache, nowMs);
  const links = () => [...kept].map(([url, links]) => [new URL(url).pathname, JSON.parse(links)]);
  return { keep, links };
}

test('The link of an event is kept by its id, for thirty days', async () => {
  const { keep, links } = aCache();
  await keep({ event_id: 'evt_1', url: 'https://ci.example.com/1' });
  await keep({ event_id: 'evt_2', url: 'https://ci.example.com/2' }, NOW_MS + 29 * DAY_MS);
  assert.equal(links(), [
    ['/links/evt_1', { url: 'https://ci.example.com/1' }],
    ['/links/evt_2', { url: 'https://ci.example.com/2' }],
  ]);
  await keep({ event_id: 'evt_3', url: 'https://ci.example.com/3' }, NOW_MS + 31 * DAY_MS);
  assert.equal(
    links().map(([path]) => path),
    ['/links/evt_2', '/links/evt_3'],
  );
});

test('The image of an event is kept with its link, or alone', async () => {
  const { keep, links } = aCache();
  const image = 'https://ci.example.com/1.png';
  await keep({ event_id: 'evt_1', url: 'https://ci.example.com/1' }, NOW_MS, image);
  await keep({ event_id: 'evt_2' }, NOW_MS, image);
  assert.equal(links(), [
    ['/links/evt_1', { url: 'https://ci.example.com/1', image }],
    ['/links/evt_2', { image }],
  ]);
});

test('The last five hundred of many links are kept', async () => {
  const { keep, links } = aCache();
  for (let nth = 1; nth <= 502; nth += 1) await keep({ event_id: `evt_${nth}`, url: 'https://ci.example.com/' });
  assert.equal([links().length, links()[0]?.[0]], [500, '/links/evt_3']);
});

test('Nothing is kept of a push without a link to the web', async () => {
  const { keep, links } = aCache();
  for (const data of [
    null,
    {},
    { event_id: 'evt_1' },
    { event_id: 'evt_1', url: 'javascript:1' },
    { url: 'https://x' },
  ])
    await keep(data);
  assert.equal(links(), []);
});

test('Nothing is kept while no user is signed in, also if the session ends while a push is shown', async () => {
  const there = new Map<string, Map<string, unknown>>();
  let isEnding = false;
  const caches = {
    async open(name: string) {
      const entries = there.get(name) ?? new Map();
      there.set(name, entries);
      // Right after the worker has opened it.
      if (isEnding) {
        there.set('signed-out', new Map());
        there.delete('links');
      }
      return { put: async (key: string) => entries.set(key, 1), keys: async () => [] };
    },
    has: async (name: string) => there.has(name),
    delete: async (name: string) => there.delete(name),
  };
  Object.assign(globalThis, { caches });
  const keep = () => keepLinks({ event_id: 'evt_1', url: 'https://ci.example.com/1' }, undefined);
  await keep();
  assert.equal([...there.keys()], ['links']);
  isEnding = true;
  await keep();
  isEnding = false;
  await keep();
  assert.equal([...there.keys()], ['signed-out']);
});

test.run();
