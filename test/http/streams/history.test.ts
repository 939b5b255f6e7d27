import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../src/changes/changes.ts';
import { History } from '../../../src/http/streams/history.ts';

const change = (id: number): Change => ({ kind: 'inbox', audience: 'members', of: { id } });

test('each change is remembered once, by its last number', () => {
  const history = new History();
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

test('what was dropped cannot be replayed', () => {
  const history = new History();
  for (let of = 0; of < 10_001; of += 1) history.add(change(of));
  assert.is(history.since(history.id(0)), null);
  assert.is(history.since(history.id(1))?.length, 10_000);
  assert.is(history.since(history.id(10_000))?.length, 1);
});

test.run();
