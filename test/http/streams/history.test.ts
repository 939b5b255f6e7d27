import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../src/changes/changes.ts';
import { History } from '../../../src/http/streams/stream.ts';

const change = (id: number): Change => ({ kind: 'inbox', audience: 'members', of: { id } });

/** Stands still, so numbers are counted. */
const standing = () => 0;

test('each change is remembered once, by its last number', () => {
  const history = new History(standing);
  const begin = history.id();
  history.add(change(1));
  const between = history.id();
  history.add(change(2));
  history.add(change(1));
  assert.equal(history.since(begin), [
    [change(2), 2],
    [change(1), 3],
  ]);
  assert.equal(history.since(between), [
    [change(2), 2],
    [change(1), 3],
  ]);
  assert.equal(history.since(history.id()), []);
  assert.is(new History().since(begin), null);
});

test('an id says how late it is, and not how much has changed before', () => {
  let nowUs = 0;
  const [busy, idle] = [new History(() => nowUs), new History(() => nowUs)];
  const from = busy.id();
  for (let of = 1; of <= 100; of += 1) {
    nowUs += 10;
    busy.add(change(of));
  }
  const numberOf = (id: string) => id.split('-')[1];
  assert.is(numberOf(busy.id()), numberOf(idle.id()));
  assert.is(busy.since(from)?.length, 100);
  nowUs += 5;
  const between = busy.id();
  busy.add(change(7));
  assert.equal(busy.since(between), [[change(7), nowUs + 1]]);
});

test('dropped messages cannot be replayed', () => {
  const history = new History(standing);
  for (let of = 0; of < 10_001; of += 1) history.add(change(of));
  assert.is(history.since(history.id(0)), null);
  assert.is(history.since(history.id(1))?.length, 10_000);
  assert.is(history.since(history.id(10_000))?.length, 1);
});

test.run();
