import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { examples, portNumber } from '../arguments.ts';
import type { CommandContext } from '../context.ts';
import { untilStopped } from '../signals.ts';

const PORT = 8080;

export function addDemo(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description('see it all at work: a server, two sandbox devices, and a real event on its way to them')
    .option('--port <number>', 'the first port to try', portNumber, PORT)
    .addHelpText('after', examples('pushctl demo', 'pushctl demo --data-dir /tmp/pushctl-demo'))
    .action(({ port }: { port: number }) => run(context, port));
}

async function run(context: CommandContext, port: number): Promise<void> {
  // From here on, so that an early Ctrl-C ends the demo as cleanly as a late one.
  const stopped = untilStopped(context.process);
  const { startDemo } = await import('../demo/run.ts');
  const { createOutput } = await import('../demo/output.ts');
  const output = await createOutput(context);
  try {
    const demo = await startDemo({ folder: await folderOf(context), port }, output);
    await stopped;
    await demo.stop();
  } finally {
    output.end();
  }
}

async function folderOf({ options, process }: CommandContext): Promise<string> {
  const { userDataDir } = await import('../../config/load.ts');
  const named = options.dataDir ?? process.env.PUSHCTL_DATA_DIR;
  return resolve(named || join(userDataDir(process.env), 'pushctl-demo'));
}
