import type { EventRecord } from '../../push.ts';
import type { Push } from '../../sandbox/journal.ts';
import { describePush } from '../describe-push.ts';
import { printable } from '../printable.ts';
import type { Session } from '../session.ts';
import type { DemoTeller } from './run.ts';

export type Teller = DemoTeller & { end(): void };

/** A live view where there is a terminal to draw on; plain lines everywhere else. */
export async function createTeller(session: Session): Promise<Teller> {
  const { process } = session;
  if (!session.canDraw()) return plainTeller(process.stdout);
  const { liveTeller } = await import('./live-teller.ts');
  return liveTeller(process);
}

function plainTeller(stdout: NodeJS.WritableStream): Teller {
  const say = (line: string): void => void stdout.write(`${printable(line)}\n`);
  return {
    say,
    posted: (event: EventRecord) => say(`Posted ${event.public_id} to ${event.target_device_count} devices`),
    arrived: (push: Push) => say(describePush(push)),
    end: () => {},
  };
}
