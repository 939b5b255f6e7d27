import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verdict } from '../../../../src/store/calls.ts';
import { claim, settle } from '../../../support/queue.ts';
import { aWorld } from '../../../support/world.ts';

const VERDICTS: readonly Verdict[] = [
  { state: 'accepted' },
  { state: 'failed', reason: 'PayloadTooLarge' },
  { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true },
];

for (const verdict of VERDICTS) {
  test(`a batch that is settled (${verdict.state}) after its event was deleted writes nothing`, async () => {
    const store = await aWorld({ devices: { ios: 3 } });
    await store.post();
    const [batch] = await claim(store);
    assert.ok(batch);
    await store.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' });
    const tallies = await store.countRows('tally');
    assert.equal(await settle(store, batch, verdict), []);
    for (const table of ['delivery', 'attempt', 'fan_out', 'event']) assert.is(await store.countRows(table), 0, table);
    assert.is(await store.countRows('tally'), tallies);
    assert.equal(await claim(store), []);
  });
}

test.run();
