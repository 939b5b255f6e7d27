import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BodyBudget,
  type BodyOwner,
  type HeldBody,
  keyOwner,
  personOwner,
} from '../../../src/http/limits/body-budget.ts';
import { ProvenClients } from '../../../src/http/limits/proven-clients.ts';

const KIB = 1_024;
/** The budget; each body takes one KiB of it besides its own bytes. */
const TOTAL = 64 * KIB;
const ONE = keyOwner({ id: 'one', workspaceId: 1 });
const TWO = keyOwner({ id: 'two', workspaceId: 1 });
const OTHERS = keyOwner({ id: 'three', workspaceId: 2 });

/** Bodies in a budget, and which of them gave way. */
function scene() {
  const proven = new ProvenClients();
  const budget = new BodyBudget(TOTAL, proven);
  const left: string[] = [];
  const open = (name: string, owner: BodyOwner, kib: number): HeldBody => {
    const body = budget.open(owner, () => left.push(name));
    body.take((kib - 1) * KIB);
    return body;
  };
  return { budget, proven, left, open, networks: (...names: string[]) => budget.strangerOwner(names) };
}

test('the oldest unfinished body of a key gives way to a newer one beyond a quarter', () => {
  const { budget, left, open } = scene();
  for (const name of ['a', 'b', 'c', 'd']) open(name, ONE, 4);
  assert.equal([left, budget.bytes], [[], 16 * KIB]);
  open('e', ONE, 4);
  open('f', ONE, 4);
  assert.equal([left, budget.bytes], [['a', 'b'], 16 * KIB]);
});

test('a body that gave way counts no more', () => {
  const { budget, open } = scene();
  const first = open('a', ONE, 8);
  open('b', ONE, 12);
  assert.is(budget.bytes, 12 * KIB);
  assert.throws(() => first.take(1), /./);
  first.giveBack(KIB);
  first.release();
  assert.is(budget.bytes, 12 * KIB);
});

test('a body that is complete gives way to none, so the next body is refused', () => {
  const { budget, left, open } = scene();
  open('a', ONE, 16).finish();
  assert.throws(
    () => open('b', ONE, 1),
    (error: { code: string }) => error.code === 'overloaded',
  );
  assert.equal([left, budget.bytes], [[], 16 * KIB]);
});

test('if the fullest key of a workspace has nothing unfinished, the next key gives way', () => {
  const { budget, left, open } = scene();
  open('a', ONE, 16).finish();
  open('b', TWO, 15);
  open('c', personOwner(7, 1), 2);
  assert.equal([left, budget.bytes], [['b'], 18 * KIB]);
});

test('the oldest body is refused itself if it grows', () => {
  const { left, open } = scene();
  const oldest = open('a', ONE, 8);
  open('b', ONE, 8);
  assert.throws(
    () => oldest.take(KIB),
    (error: { code: string }) => error.code === 'overloaded',
  );
  assert.equal(left, []);
});

test('a workspace has half of it, and there the key or person with most gives way', () => {
  const { budget, left, open } = scene();
  open('a', ONE, 14);
  open('b', TWO, 13);
  open('c', personOwner(7, 1), 5);
  open('d', personOwner(8, 1), 4);
  assert.equal([left, budget.bytes], [['a'], 22 * KIB]);
});

test('a workspace with less displaces a workspace with more if all of it is taken', () => {
  const { left, open } = scene();
  for (const workspaceId of [1, 2]) {
    for (const id of ['x', 'y']) open(`${workspaceId}${id}`, keyOwner({ id: `${id}${workspaceId}`, workspaceId }), 16);
  }
  open('small', personOwner(9, 3), 2);
  assert.is(left.length, 1);
  assert.not(left.includes('small'));
});

test('strangers have a quarter of it, and networks without a good key have half of that', () => {
  const { budget, proven, left, open, networks } = scene();
  for (let n = 0; n < 8; n += 1) open(`${n}`, networks(`192.0.2.${n}`), 2);
  assert.equal([left.length, budget.bytes], [4, 8 * KIB]);
  proven.addNetwork('192.0.2.200');
  open('proven', networks('192.0.2.200'), 8);
  assert.equal([left.length, budget.bytes], [4, 16 * KIB]);
  open('another', OTHERS, 16);
  assert.is(left.length, 4);
});

test('the fullest network of strangers gives way first, the widest one counting', () => {
  const { left, open, networks } = scene();
  open('quiet', networks('2001:db8:1::/48', '2001:db8:1::/56', '2001:db8:1::/64'), 2);
  for (let n = 0; n < 3; n += 1)
    open(`${n}`, networks('2001:db8:2::/48', `2001:db8:2:${n}00::/56`, `2001:db8:2:${n}00::/64`), 2);
  open('new', networks('192.0.2.1'), 2);
  assert.equal(left, ['0']);
});

test('nothing is left of shares without bodies', () => {
  const { budget, open, networks } = scene();
  for (let n = 0; n < 100; n += 1) open('a', networks(`192.0.2.${n}`), 1).release();
  for (let n = 0; n < 100; n += 1) open('b', keyOwner({ id: `${n}`, workspaceId: n }), 1).release();
  assert.is(budget.bytes, 0);
  assert.is(budget.shares, 0);
});

test.run();
