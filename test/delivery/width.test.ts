import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Width } from '../../src/delivery/width.ts';

const WINDOW_MS = 500;

const working = (share: number) => ({ cpu: share, busy: share, fill: 0.5 });
const waiting = { cpu: 0.1, busy: 0.1, fill: 1.05 };

/** Adapts once a window to threads that each work for this share of the time. */
function after(windows: readonly (readonly number[])[], { most = 8 } = {}): number[] {
  const width = new Width(most);
  return windows.map((shares, window) => {
    width.adapt(shares.map(working), window * WINDOW_MS);
    return width.threads;
  });
}

test('One thread sends alone while it is not saturated', () => {
  assert.equal(after([[0], [0.5], [0.7]]), [1, 1, 1]);
});

test('The threads double while all of them are saturated, up to the most', () => {
  assert.equal(after([[0.8], Array(2).fill(0.8), Array(4).fill(0.8)], { most: 6 }), [2, 4, 6]);
});

test('Threads that still start are waited for', () => {
  assert.equal(after([[1], [1], [1], [1, 1]]), [2, 2, 2, 4]);
});

test('A window passes before the threads are counted again', () => {
  const width = new Width(8);
  width.adapt([working(1)], 0);
  width.adapt([working(1), working(1)], WINDOW_MS - 1);
  assert.is(width.threads, 2);
});

test('Pushes that wait for a slow provider need a further thread if they wait for more than a window', () => {
  const width = new Width(8);
  const counts = [[waiting], [waiting], [waiting, waiting], [waiting, working(0)]].map((loads, window) => {
    width.adapt(loads, window * WINDOW_MS);
    return width.threads;
  });
  assert.equal(counts, [1, 2, 4, 4]);
});

test('Pushes that wait for the thread need none, if no core is free for a further one', () => {
  const width = new Width(8);
  for (let window = 0; window < 8; window += 1) {
    width.adapt([{ cpu: 0.6, busy: 1, fill: 2 }], window * WINDOW_MS);
  }
  assert.is(width.threads, 1);
});

test('A burst that waits once needs none', () => {
  const width = new Width(8);
  for (let window = 0; window < 8; window += 1) {
    width.adapt([window % 2 === 0 ? waiting : working(0)], window * WINDOW_MS);
  }
  assert.is(width.threads, 1);
});

test('A slow provider keeps as many threads as have all its pushes in flight', () => {
  const width = new Width(8);
  const full = { cpu: 0.1, busy: 0.1, fill: 1 };
  const counts = [[waiting], [waiting], [full, full], [full, full], [working(0.1), working(0.1)]].map(
    (loads, window) => {
      width.adapt(loads, window * WINDOW_MS);
      return width.threads;
    },
  );
  assert.equal(counts, [1, 2, 2, 2, 1]);
});

test('One thread fewer sends once the others have time for its batches', () => {
  assert.equal(after([[0.8], [0.4, 0.2], [0.3, 0.1], [0.4]]), [2, 2, 1, 1]);
});

test('No thread is left over that has died', () => {
  const width = new Width(8);
  width.adapt([working(1)], 0);
  width.limit(1);
  assert.is(width.threads, 1);
  width.limit(0);
  assert.is(width.threads, 1);
});

test.run();
