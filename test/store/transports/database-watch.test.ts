import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallName } from '../../../src/store/calls.ts';
import type { Reply } from '../../../src/store/reply.ts';
import { DatabaseWatch } from '../../../src/store/transports/database-watch.ts';

const HELD: Reply = { kind: 'unavailable', reason: 'canceling statement due to lock timeout' };
const DONE: Reply = { kind: 'answer', answer: null };

function watched() {
  const told: string[] = [];
  const watch = new DatabaseWatch(({ kind }) => told.push(kind));
  const seen = (name: CallName, reply: Reply) => watch.seen({ name, args: {} }, reply);
  return { watch, told, seen };
}

test('While some calls fail and others do not, that is told once, and its end once those work that failed', () => {
  const { watch, told, seen } = watched();
  for (let n = 0; n < 100; n += 1) {
    seen('claimBatches', HELD);
    seen('settleBatch', HELD);
    seen('acceptEvent', DONE);
  }
  assert.equal(told, ['lost']);
  assert.is(watch.fault, null, 'events can be stored');
  seen('claimBatches', DONE);
  assert.equal(told, ['lost']);
  seen('settleBatch', DONE);
  assert.equal(told, ['lost', 'back']);
});

test('Where no event can be stored, that is a fault until one can, whatever else works', () => {
  const { watch, told, seen } = watched();
  for (let n = 0; n < 100; n += 1) {
    seen('acceptEvent', HELD);
    seen('claimBatches', DONE);
    seen('listWorkspaces', DONE);
    assert.is(watch.fault, 'canceling statement due to lock timeout');
  }
  seen('acceptEvent', DONE);
  assert.is(watch.fault, null);
  assert.equal(told, ['lost', 'back']);
});

test.run();
