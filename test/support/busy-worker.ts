import { setImmediate } from 'node:timers/promises';
import type { Batch, Sent } from '../../src/push.ts';

export { close, selfTest } from '../../src/delivery/worker.ts';

// Like Node 22, it does not know its CPU time, which is short on a busy machine.
Object.defineProperty(process, 'threadCpuUsage', { value: undefined });

/**
 * A real delivery thread, whose every batch takes it this long. Like one that sends, it waits in between. The title `die`
 * ends it.
 */
const BUSY_MS = 20;

export default async function send(batch: Batch): Promise<readonly Sent[]> {
  await setImmediate();
  if (batch.events[0]?.event.title === 'die') process.exit(3);
  const endMs = performance.now() + BUSY_MS;
  while (performance.now() < endMs);
  return batch.targets.map(({ deviceId }, index) => ({
    index,
    deviceId,
    outcome: { kind: 'accepted' },
    fitted: false,
  }));
}
