import type { Batch, Sent } from '../../src/push.ts';

/**
 * A delivery thread whose batches' titles say what it does: `die`, `hang`, `wedge`, `throw`, or answer with its
 * thread's name.
 */
export default async function send(batch: Batch): Promise<readonly Sent[]> {
  switch (batch.events[0]?.event.title) {
    case 'die':
      return process.exit(3);
    case 'hang':
      return new Promise(() => {});
    case 'wedge':
      for (;;);
    case 'throw':
      throw new Error('a bug');
    default:
      return batch.targets.map(({ deviceId }, index) => ({
        index,
        deviceId,
        outcome: { kind: 'accepted' },
        fitted: false,
      }));
  }
}

export function selfTest(): 'ready' {
  return 'ready';
}
