import * as assert from 'uvu/assert';
import type { Verdict } from '../../../../src/store/calls.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { conformance } from '../../../support/engines.ts';
import { claim, settle } from '../../../support/queue.ts';
import { granted } from '../../../support/refusals.ts';
import { aWorld } from '../../../support/world.ts';

const { test, run } = conformance('events of which something waits');

test('events to be sent, retried or resent are listed, and no others', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const settled = async (verdict: Verdict): Promise<string> => {
    const publicId = await store.post();
    for (const batch of await claim(store)) await settle(store, batch, verdict);
    return publicId;
  };
  const sent = await settled({ state: 'accepted' });
  const deferred = await settled({ state: 'pending', reason: 'timeout', retryInMs: 60_000, spent: true });
  const failed = await settled({ state: 'failed', reason: 'PayloadEmpty' });
  const waiting = await store.post();
  assert.equal(await listed(store), [deferred, waiting]);
  granted(await store.calls.resendEvent({ publicId: failed }));
  assert.equal(await listed(store), [deferred, failed, waiting]);
  assert.not((await listed(store)).includes(sent));
});

test('a cancelled event does not wait any more', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const [first, second] = [await store.post(), await store.post()];
  granted(await store.calls.cancelEvent({ publicId: first }));
  assert.equal(await listed(store), [second]);
});

test('they come in parts, each after the last one of the part before', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2, android: 1 } });
  const events = [await store.post(), await store.post(), await store.post()];
  const part = await store.calls.listWaiting({ after: 0, limit: 2 });
  assertEach(part, ({ public_id }) => public_id, events.slice(0, 2));
  const rest = await store.calls.listWaiting({ after: part.at(-1)?.id ?? 0, limit: 2 });
  assertEach(rest, ({ public_id }) => public_id, events.slice(2));
});

run();

async function listed(store: Awaited<ReturnType<typeof aWorld>>): Promise<readonly string[]> {
  const waiting = await store.calls.listWaiting({ after: 0, limit: 100 });
  return waiting.map(({ public_id }) => public_id);
}
