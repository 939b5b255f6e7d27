import { existsSync, writeFileSync } from 'node:fs';
import sendFor, { selfTest } from '../../src/delivery/worker.ts';
import type { Batch, Sent } from '../../src/push.ts';

/**
 * A real delivery thread, except for its first batch of an event with such a title. `die` ends the thread once the
 * batch is on its way, `hang` never answers, `wedge` stops its event loop. The event's second try goes well: the file
 * named in PUSHCTL_TEST_FATE remembers that it struck.
 */
export { selfTest };

const FATES = ['die', 'hang', 'wedge'];

export default async function send(batch: Batch): Promise<readonly Sent[]> {
  const titles = batch.events.map(({ event }) => event.title);
  const title = titles.find((known) => FATES.includes(known)) ?? '';
  const struck = `${process.env.PUSHCTL_TEST_FATE}-${title}`;
  if (title === '' || existsSync(struck)) return sendFor(batch);
  writeFileSync(struck, '');
  const sent = await sendFor(batch);
  if (title === 'die') process.exit(3);
  if (title === 'hang') return new Promise(() => {});
  if (title === 'wedge') for (;;);
  return sent;
}
