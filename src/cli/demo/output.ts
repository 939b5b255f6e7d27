import type { EventRecord } from '../../push.ts';
import type { Push } from '../../sandbox/journal.ts';
import type { CommandContext } from '../context.ts';
import { describePush } from '../output/describe-push.ts';
import { printable } from '../output/printable.ts';
import type { DemoOutput } from './run.ts';

/** Creates a live view on terminals, else plain lines. */
export async function createOutput(context: CommandContext): Promise<DemoOutput & { end(): void }> {
  const { process } = context;
  if (!context.canDraw()) return plainOutput(process.stdout);
  const { liveOutput } = await import('./live-output.ts');
  return liveOutput(process);
}

function plainOutput(stdout: NodeJS.WritableStream): DemoOutput & { end(): void } {
  const say = (line: string): void => void stdout.write(`${printable(line)}\n`);
  return {
    say,
    posted: (event: EventRecord) => say(`Posted ${event.public_id} to ${event.target_device_count} devices`),
    arrived: (push: Push) => say(describePush(push)),
    end: () => {},
  };
}
