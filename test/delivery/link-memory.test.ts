import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from '../../src/delivery/link-memory.ts';

const DAY_MS = 86_400_000;
const standingClock = { steadyMs: () => 0 };

test('links are there until they are dropped', () => {
  const memory = new LinkMemory(10_000, DAY_MS, standingClock);
  memory.hold(1, 'evt_1', { url: 'https://example.com/1' });
  assert.equal(memory.of('evt_1'), { url: 'https://example.com/1' });
  memory.drop('evt_1');
  assert.is(memory.of('evt_1'), undefined);
  assert.is(memory.bytes, 0);
});

test('an event without links costs nothing', () => {
  const memory = new LinkMemory(10_000, DAY_MS, standingClock);
  memory.hold(1, 'evt_1', {});
  assert.is(memory.bytes, 0);
});

test('data counts towards the memory as links do', () => {
  const memory = new LinkMemory(10_000, DAY_MS, standingClock);
  memory.hold(1, 'evt_1', { url: 'x'.repeat(1_000) });
  const { bytes } = memory;
  memory.hold(1, 'evt_1', { data: 'x'.repeat(1_000) });
  assert.is(memory.bytes, bytes);
  assert.equal(memory.of('evt_1'), { data: 'x'.repeat(1_000) });
});

test('beyond the limit the oldest go first', () => {
  const memory = new LinkMemory(2_000, DAY_MS, standingClock);
  for (const name of ['a', 'b', 'c']) memory.hold(1, name, { url: `https://example.com/${name.repeat(200)}` });
  assert.is(memory.of('a'), undefined);
  assert.ok(memory.of('b') && memory.of('c'));
  assert.ok(memory.bytes <= 2_000);
});

test('a workspace with many links displaces its own, and none of another', () => {
  const memory = new LinkMemory(3_000, DAY_MS, standingClock);
  memory.hold(1, 'other', { url: 'https://example.com/other' });
  for (let n = 0; n < 100; n += 1) memory.hold(2, `flood ${n}`, { url: `https://example.com/${n}` });
  assert.ok(memory.of('other'));
  assert.ok(memory.of('flood 99'));
  assert.is(memory.of('flood 0'), undefined);
});

test('the oldest go first, also after younger ones or all of them were dropped', () => {
  const memory = new LinkMemory(2_000, DAY_MS, standingClock);
  for (const round of ['a', 'b', 'c']) {
    const names = [1, 2, 3, 4].map((n) => `${round}${n}`);
    const [first = '', second = ''] = names;
    for (const name of names) {
      memory.hold(1, name, { url: `https://example.com/${name.repeat(100)}` });
      if (name === second) memory.drop(second);
    }
    assert.equal(
      names.filter((name) => memory.of(name) !== undefined),
      names.slice(2),
      `${first} is the oldest`,
    );
    for (const name of names) memory.drop(name);
    assert.is(memory.bytes, 0);
  }
});

test('links that are larger than the limit by themselves are not kept', () => {
  const memory = new LinkMemory(1_000, DAY_MS, standingClock);
  memory.hold(1, 'evt_1', { url: 'x'.repeat(2_000) });
  assert.is(memory.bytes, 0);
});

test('holding the same event again does not count it twice', () => {
  const memory = new LinkMemory(10_000, DAY_MS, standingClock);
  memory.hold(1, 'evt_1', { url: 'https://example.com/1' });
  const { bytes } = memory;
  memory.hold(1, 'evt_1', { url: 'https://example.com/1' });
  assert.is(memory.bytes, bytes);
});

test('the links of an event that can no longer be sent go with the next that come', () => {
  let nowMs = 0;
  const memory = new LinkMemory(10_000, DAY_MS, { steadyMs: () => nowMs });
  memory.hold(1, 'evt_1', { url: 'https://example.com/1' });
  nowMs = DAY_MS;
  memory.hold(1, 'evt_2', { url: 'https://example.com/2' });
  assert.is(memory.of('evt_1'), undefined);
  assert.ok(memory.of('evt_2'));
});

test.run();
