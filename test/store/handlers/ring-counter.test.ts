import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RingCounter } from '../../../src/store/handlers/ring-counter.ts';
import { NOW_MS } from '../../support/store.ts';

const ONCE = { at_most: 1, per: 3_600 };
const OFTEN = { at_most: 1_000, per: 3_600 };

test('a channel that rings stays counted, however many other channels ring', () => {
  const counter = new RingCounter();
  counter.count('busy', ONCE, NOW_MS);
  for (let nth = 0; nth < 20_000; nth += 1) counter.count(nth, ONCE, NOW_MS);
  assert.ok(counter.isOver('busy', ONCE, NOW_MS));
});

test('rings of all channels together have a bound, and the channel that rang longest ago is forgotten first', () => {
  const counter = new RingCounter();
  for (let channel = 0; channel < 300; channel += 1) {
    for (let nth = 0; nth < OFTEN.at_most; nth += 1) counter.count(channel, OFTEN, NOW_MS);
  }
  const kept = Array.from({ length: 300 }, (_, channel) => counter.isOver(channel, OFTEN, NOW_MS));
  const first = kept.indexOf(true);
  assert.ok(first >= 100 && first <= 120, `${first} are forgotten`);
  assert.not.ok(kept.includes(false, first));
});

test('a ring that is given back is no longer counted', () => {
  const counter = new RingCounter();
  const first = counter.count('a', OFTEN, NOW_MS);
  const second = counter.count('a', OFTEN, NOW_MS);
  counter.giveBack(first);
  assert.ok(counter.isOver('a', ONCE, NOW_MS));
  counter.giveBack(second);
  counter.giveBack(second);
  assert.not.ok(counter.isOver('a', ONCE, NOW_MS));
});

test.run();
