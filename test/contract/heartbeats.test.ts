import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dueInMs, inWords, pingUrl, uuidIn } from '../../src/contract/heartbeats.ts';

const test = suite('heartbeats: words and addresses');
const UUID = '5a3f3f7f-9a51-4f0e-9f66-2b1e0f3c6a0b';

test('A span of time is said by its two largest units', () => {
  for (const [seconds, words] of [
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3_661, '1 h 1 min'],
    [7_500, '2 h 5 min'],
    [3_605, '1 h'],
    [86_400, '1 day'],
    [2 * 86_400 + 3 * 3_600 + 59, '2 days 3 h'],
  ] as const) {
    assert.is(inWords(seconds * 1_000), words);
  }
  assert.is(inWords(-5), '0 s');
});

test('A UUID is in its canonical form, with letters of any case', () => {
  assert.is(uuidIn(UUID.toUpperCase()), UUID);
  for (const text of ['', 'backup', UUID.slice(1), `${UUID}0`, UUID.replaceAll('-', ''), `{${UUID}}`]) {
    assert.is(uuidIn(text), null, text);
  }
});

test('Pings go to the root of the server, beside the API', () => {
  assert.is(pingUrl('https://push.example.com/api', UUID), `https://push.example.com/ping/${UUID}`);
  assert.is(pingUrl('https://example.com/push/api', UUID), `https://example.com/push/ping/${UUID}`);
});

test('A schedule whose time zone this Node does not know goes by UTC', () => {
  const dueIn = (timezone: string) =>
    dueInMs({ every: null, cron: '0 3 * * *', timezone }, Date.parse('2026-11-21T09:30Z'));
  assert.is(dueIn('Mars/Base'), 17.5 * 3_600_000);
  assert.is(dueIn('Europe/Berlin'), 16.5 * 3_600_000);
});

test.run();
