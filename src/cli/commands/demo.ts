import { join, resolve } from 'node:path';
import { untilStopped } from '../../process/until-stopped.ts';
import type { EventRecord } from '../../push.ts';
import type { Push } from '../../sandbox/journal.ts';
import { portNumber } from '../arguments.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { DemoOutput } from '../demo/run.ts';
import { describePush } from '../output/describe-push.ts';
import { printable } from '../output/printable.ts';

const PORT = 8080;

export function addDemo(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description('run a demo: a server, two sandbox devices, and an event that is sent to them')
    .option('--port <number>', 'the first port to try', portNumber, PORT)
    .examples('pushctl demo', 'pushctl demo --data-dir /tmp/pushctl-demo')
    .action(({ port }: { port: number }) => run(context, port));
}

async function run(context: CommandContext, port: number): Promise<void> {
  // Listens from here on, so that an early Ctrl-C ends the demo cleanly too.
  const stopped = untilStopped(context.process);
  const { startDemo } = await import('../demo/run.ts');
  const output = await createOutput(context);
  try {
    using place = await placeOf(context, output.say);
    const demo = await startDemo({ folder: place.folder, port }, output);
    await stopped;
    await demo.stop();
  } finally {
    output.end();
  }
}

/** A folder reserved for this demo until disposed. */
interface Place extends Disposable {
  readonly folder: string;
}

/**
 * Returns the named folder, else one unused by this user's demos. Locks the keys at once: the server locks seconds
 * later, and another demo could make keys meanwhile.
 */
async function placeOf({ options, process }: CommandContext, say: (line: string) => void): Promise<Place> {
  const named = options.dataDir ?? process.env.PUSHCTL_DATA_DIR;
  if (named) return { folder: resolve(named), [Symbol.dispose]: () => {} };
  const { userDataDir } = await import('../../config/load.ts');
  const { workAsOwnerOf } = await import('../../store/sqlite/database.ts');
  const { prepareFolder } = await import('../../store/data-folder.ts');
  const { FolderInUse, takeLock } = await import('../../store/sqlite/files/lock.ts');
  const own = join(userDataDir(process.env), 'pushctl-demo');
  for (let folder = own, next = 2; ; next += 1) {
    using _ = workAsOwnerOf(folder);
    try {
      const keys = takeLock(prepareFolder(join(prepareFolder(folder).path, 'sandbox')));
      return { folder, [Symbol.dispose]: keys.release };
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
      folder = `${own}-${next}`;
      say(`${error.what} Trying ${folder}.`);
    }
  }
}

/** Creates a live view on terminals, else plain lines. */
async function createOutput(context: CommandContext): Promise<DemoOutput & { end(): void }> {
  const { process } = context;
  if (!context.canDraw()) return plainOutput(process.stdout);
  const { liveOutput } = await import('../demo/live-output.tsx');
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
