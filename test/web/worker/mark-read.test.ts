import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markRead } from '../../../src/web/worker/taps.ts';

const ID = 'evt_01m7y7qp55ea087ggd7fpjkv29';

function asking(fails = false) {
  const asked: unknown[] = [];
  const ask = async (url: unknown, init?: RequestInit) => {
    asked.push([url, init?.method, init?.body]);
    if (fails) throw new TypeError('no network');
    return new Response(null, { status: 204 });
  };
  return { asked, ask: ask as typeof fetch };
}

test('The event of a notification that was tapped is read, and no other', async () => {
  const { asked, ask } = asking();
  await markRead({ event_id: ID, navigate: 'https://ci.example.com/42' }, ask);
  assert.equal(asked, [['/api/v1/inbox/read', 'PUT', `{"events":["${ID}"]}`]]);
});

test('A message that names no event marks none, and a mark that cannot be sent does no harm', async () => {
  const { asked, ask } = asking(true);
  for (const data of [null, undefined, 'evt_1', {}, { event_id: 7 }, { event_id: 'x' }]) await markRead(data, ask);
  assert.equal(asked, []);
  await markRead({ event_id: ID }, ask);
  assert.is(asked.length, 1);
});

test.run();
