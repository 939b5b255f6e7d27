import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RingCounter } from '../../../src/store/handlers/ring-counter.ts';
import { NOW_MS } from '../../support/store.ts';

const ONCE = { at_most: 1, per: 3_600 };
const OFTEN = { at_most: 1_000, per: 3_600 };

const MANY = 400;

const of = (channel: number, workspaceId = 1) => ({ workspaceId, channel });

/** Rings as often as allowed in so many channels. */
function ring(counter: RingCounter, channels: number, workspaceId: number): void {
  for (let channel = 0; channel < channels; channel += 1) {
    for (let nth = 0; nth < OFTEN.at_most; nth += 1) counter.count(of(channel, workspaceId), OFTEN, NOW_MS);
  }
}

/** How many channels of a workspace are still counted; the rest, which rang first, is forgotten. */
function keptIn(counter: RingCounter, channels: number, workspaceId: number): number {
  const kept = Array.from({ length: channels }, (_, nth) => counter.isOver(of(nth, workspaceId), OFTEN, NOW_MS));
  const first = kept.indexOf(true);
  assert.not.ok(kept.includes(false, first));
  return channels - first;
}

test('a channel that rings stays counted, however many other channels ring', () => {
  const counter = new RingCounter();
  counter.count(of(0), ONCE, NOW_MS);
  for (let nth = 1; nth < 20_000; nth += 1) counter.count(of(nth), ONCE, NOW_MS);
  assert.ok(counter.isOver(of(0), ONCE, NOW_MS));
});

test('rings of all channels together have a bound, and the channel that rang longest ago is forgotten first', () => {
  const counter = new RingCounter();
  ring(counter, MANY, 1);
  const kept = keptIn(counter, MANY, 1);
  assert.ok(kept >= 180 && kept <= 200, `${kept} are kept`);
});

test('a workspace with many channels pushes out its own rings, and none of the others', () => {
  const counter = new RingCounter();
  const quiet = [2, 3, 4].map((workspaceId) => of(0, workspaceId));
  for (const channel of quiet) counter.count(channel, ONCE, NOW_MS);
  ring(counter, 50, 5);
  ring(counter, MANY, 1);
  assert.ok(quiet.every((channel) => counter.isOver(channel, ONCE, NOW_MS)));
  assert.is(keptIn(counter, 50, 5), 50);
  const kept = keptIn(counter, MANY, 1);
  assert.ok(kept >= 129 && kept <= 150, `${kept} are kept`);
});

test('channels of one name in two workspaces are counted apart', () => {
  const counter = new RingCounter();
  counter.count(of(7, 1), ONCE, NOW_MS);
  assert.not.ok(counter.isOver(of(7, 2), ONCE, NOW_MS));
});

test('a ring that is given back is no longer counted', () => {
  const counter = new RingCounter();
  const first = counter.count(of(1), OFTEN, NOW_MS);
  const second = counter.count(of(1), OFTEN, NOW_MS);
  counter.giveBack(first);
  assert.ok(counter.isOver(of(1), ONCE, NOW_MS));
  counter.giveBack(second);
  counter.giveBack(second);
  assert.not.ok(counter.isOver(of(1), ONCE, NOW_MS));
});

test.run();
