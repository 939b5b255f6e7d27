import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyBytes, type KeptBytes } from '../../../src/http/body/body-bytes.ts';
import { BodyBudget, keyOwner } from '../../../src/http/limits/body-budget.ts';
import { ProvenClients } from '../../../src/http/limits/proven-clients.ts';

const OWNER = keyOwner({ id: 'one', workspaceId: 1 });
const MIB = 1_048_576;
const LONG = 262_144;

function begin(kept?: KeptBytes) {
  const budget = new BodyBudget(64 * MIB, new ProvenClients());
  return {
    budget,
    bytes: new BodyBytes(
      budget.open(OWNER, () => undefined),
      kept,
    ),
  };
}

/** Pieces in memory of their own, as they come from a connection. */
function piecesOf(whole: Buffer, length: number): Buffer[] {
  const count = Math.ceil(whole.length / length);
  return Array.from({ length: count }, (_, at) =>
    Buffer.from(new Uint8Array(whole.subarray(at * length, (at + 1) * length)).buffer),
  );
}

test('pieces of any length become the body that they were', () => {
  for (const size of [1, 100, 65_536, 140_000]) {
    const whole = randomBytes(size);
    for (const length of [7, 1_000, 65_536, 140_000]) {
      const { bytes } = begin();
      for (const piece of piecesOf(whole, length)) bytes.add(piece);
      assert.ok(bytes.whole().equals(whole), `${size} bytes in pieces of ${length}`);
    }
  }
});

test('a body in single bytes takes hardly more than one that comes at once', () => {
  const whole = randomBytes(LONG);
  const { budget, bytes } = begin();
  for (const piece of piecesOf(whole, 1)) bytes.add(piece);
  assert.ok(budget.bytes < LONG + 2 * 65_536, `${budget.bytes} bytes`);
});

test('if only the end is kept, no more of a body is held', () => {
  const whole = randomBytes(LONG);
  for (const length of [1, 5_000, 65_536]) {
    const { budget, bytes } = begin({ last: 10_000 });
    let most = 0;
    for (const piece of piecesOf(whole, length)) {
      bytes.add(piece);
      most = Math.max(most, budget.bytes);
    }
    assert.ok(most < 4 * 65_536, `${most} bytes`);
    assert.ok(bytes.whole().equals(whole.subarray(-10_000)), `pieces of ${length}`);
  }
});

test('if the beginning alone is kept, no more of a body is held', () => {
  const whole = randomBytes(LONG);
  for (const length of [1, 5_000, 65_536]) {
    const { budget, bytes } = begin({ first: 10_000 });
    for (const piece of piecesOf(whole, length)) bytes.add(piece);
    assert.ok(budget.bytes < 2 * 65_536, `${budget.bytes} bytes`);
    assert.ok(bytes.whole().equals(whole.subarray(0, 10_000)), `pieces of ${length}`);
  }
});

test('a body without bytes is empty', () => {
  assert.is(begin().bytes.whole().length, 0);
});

test.run();
