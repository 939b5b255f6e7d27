import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { backlog, outcomesFor } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';

const HOUR_MS = 3_600_000;

test('memory stays flat through an hour-long outage with 100,000 queued events', async () => {
  await using sim = await aRelay({ devices: { ios: 1 } });
  sim.answer = (batch) => outcomesFor(batch, { kind: 'unavailable', reason: 'ECONNREFUSED' });
  await backlog(sim.world, 100_000);
  const beforeBytes = heapBytes();
  await sim.run(HOUR_MS);
  const grownBytes = heapBytes() - beforeBytes;
  assert.ok(grownBytes < 8 * 1024 * 1024, `${grownBytes} bytes more`);
});

test.run();

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
