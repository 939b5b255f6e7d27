import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { alternate } from './slices.ts';

test('The sides take turns, and every other round goes backwards', async () => {
  const order: string[] = [];
  const side = (name: string) => async () => order.push(name);
  await alternate({ a: side('a'), b: side('b') }, 3);
  assert.is(order.join(''), 'ba' + 'ab' + 'ba' + 'ab');
});

test('The first round warms up and does not count', async () => {
  let count = 0;
  const measured = await alternate({ only: async () => count++ }, 2);
  assert.equal(measured, { only: [1, 2] });
});

test('Slices of the same place belong together', async () => {
  let round = 0;
  const measured = await alternate(
    { first: async () => Math.floor(round++ / 2), second: async () => Math.floor(round++ / 2) },
    9,
  );
  assert.equal(measured.first, measured.second);
  assert.is(measured.first.length, 9);
});

test('An error ends the measurement', async () => {
  try {
    await alternate({ only: () => Promise.reject(new Error('server died')) });
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), 'server died');
  }
});

test.run();
