import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hrefOfOwn } from '../../../src/web/shell/own-links.ts';
import { click, ownPage } from '../../../src/web/worker/taps.ts';

const ORIGIN = 'https://push.example.com';

test('If the reader chose to open alerts here, a tap leads to the page of the event, not to its link', () => {
  const link = { event_id: 'evt_1', navigate: 'https://ci.example.com/42' };
  assert.equal(ownPage(link), { navigate: '/events/evt_1' });
  for (const other of [null, { navigate: '/' }, { event_id: '../x', navigate: '/' }]) assert.is(ownPage(other), other);
});

test('A click focuses the open window first, and then sends it what to show', async () => {
  assert.equal(await did(`${ORIGIN}/events/evt_1?x=1`, { open: 1 }), ['focus', `show ${ORIGIN}/events/evt_1?x=1`]);
});

test('An address of ours whose path names another host is shown whole, and leads nowhere else', async () => {
  for (const path of [
    '//evil.example/login',
    '///evil.example/login',
    '/\\\\evil.example/login',
    '//evil.example:443/?a#b',
  ]) {
    const [, shown = ''] = await did(ORIGIN + path, { open: 1 });
    const address = shown.replace(/^show /, '');
    assert.is(new URL(address).origin, ORIGIN, shown);
    const href = hrefOfOwn(address, ORIGIN) ?? '';
    assert.is(new URL(href, ORIGIN).href, address);
  }
  assert.is(hrefOfOwn(`${ORIGIN}/events/evt_1?x=1`, ORIGIN), '/events/evt_1?x=1');
  for (const other of [
    '//evil.example/',
    '/inbox',
    'https://evil.example/',
    'http://push.example.com/',
    'javascript:1',
  ])
    assert.is(hrefOfOwn(other, ORIGIN), null, other);
});

test('Without an open window, or if it cannot be focused, a new one is opened', async () => {
  assert.equal(await did(`${ORIGIN}/events/evt_1`, { open: 0 }), [`open ${ORIGIN}/events/evt_1`]);
  assert.equal(await did(`${ORIGIN}/`, { open: 1, focus: 'fails' }), ['focus', `open ${ORIGIN}/`]);
});

test("An event's link to elsewhere opens by itself, with any open window here", async () => {
  assert.equal(await did('https://ci.example.com/42', { open: 1 }), ['open https://ci.example.com/42']);
  assert.equal(await did('myapp://alarm/7', { open: 1 }), ['open myapp://alarm/7']);
});

test('A link that runs script, or is no address, leads to the inbox', async () => {
  for (const address of ['javascript:alert(1)', 'data:text/html,x', 'blob:x', 'https://', undefined]) {
    assert.equal(await did(address, { open: 0 }), [`open ${ORIGIN}/`], String(address));
  }
});

test.run();

/** Returns the acts of a click on a notification, in order. */
async function did(navigate: string | undefined, { open, focus }: { open: number; focus?: 'fails' }) {
  const done: string[] = [];
  const window = {
    url: `${ORIGIN}/`,
    async focus() {
      done.push('focus');
      if (focus === 'fails') throw new Error('the browser does not allow it');
    },
    postMessage: ({ show }: { show: string }) => void done.push(`show ${show}`),
  };
  await click({ navigate }, ORIGIN, {
    matchAll: async () => Array.from({ length: open }, () => window),
    openWindow: async (address) => void done.push(`open ${address}`),
  });
  return done;
}
