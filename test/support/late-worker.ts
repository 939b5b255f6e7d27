import type { selfTest as realSelfTest } from '../../src/delivery/worker.ts';
import { entryUrl } from '../../src/process/entry-points.ts';
import type { Batch, Sent } from '../../src/push.ts';

type Worker = typeof import('../../src/delivery/worker.ts');

let worker: Promise<Worker> | undefined;

/** A delivery thread that loads what sends at its first batch: it is most of a thread's start, and many servers send none. */
export default async function send(batch: Batch): Promise<readonly Sent[]> {
  worker ??= import(entryUrl('delivery/worker').href) as Promise<Worker>;
  return (await worker).default(batch);
}

export const selfTest: typeof realSelfTest = () => 'ready';
