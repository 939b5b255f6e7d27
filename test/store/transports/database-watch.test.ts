import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallName } from '../../../src/store/calls.ts';
import type { Reply } from '../../../src/store/reply.ts';
import { DatabaseWatch } from '../../../src/store/transports/database-watch.ts';

const HELD: Reply = { kind: 'unavailable', reason: 'canceling statement due to lock timeout' };
const DONE: Reply = { kind: 'answer', answer: null };

function watched() {
  const reported: string[] = [];
  const watch = new DatabaseWatch(({ kind }) => reported.push(kind));
  const seen = (name: CallName, reply: Reply) => watch.seen({ name, args: {} }, reply);
  return { watch, reported, seen };
}

test('A fault of some calls alone is reported once, and so is its end after the failed ones work again', () => {
  const { watch, reported, seen } = watched();
  for (let n = 0; n < 100; n += 1) {
    seen('claimBatches', HELD);
    seen('settleBatch', HELD);
    seen('acceptEvent', DONE);
  }
  assert.equal(reported, ['lost']);
  assert.is(watch.fault, null, 'events can be stored');
  seen('claimBatches', DONE);
  assert.equal(reported, ['lost']);
  seen('settleBatch', DONE);
  assert.equal(reported, ['lost', 'back']);
});

test('Failing storage of events is a fault until an event is stored, even if all else works', () => {
  const { watch, reported, seen } = watched();
  for (let n = 0; n < 100; n += 1) {
    seen('acceptEvent', HELD);
    seen('claimBatches', DONE);
    seen('listWorkspaces', DONE);
    assert.is(watch.fault, 'canceling statement due to lock timeout');
  }
  seen('acceptEvent', DONE);
  assert.is(watch.fault, null);
  assert.equal(reported, ['lost', 'back']);
});

test.run();
