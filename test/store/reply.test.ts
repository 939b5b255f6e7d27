import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { failureReply } from '../../src/store/reply.ts';

test('Over the socket a failure says whether the call may be done all the same', () => {
  assert.equal(failureReply('listPlans', new StoreUnavailable('no answer', true)), {
    kind: 'unavailable',
    reason: 'no answer',
    mayBeDone: true,
  });
  assert.equal(failureReply('listPlans', new StoreUnavailable('disk full')), {
    kind: 'unavailable',
    reason: 'disk full',
  });
});

test.run();
