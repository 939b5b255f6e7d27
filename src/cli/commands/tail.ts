import { Option } from 'commander';
import { untilStopped } from '../../process/until-stopped.ts';
import { ROUTES } from '../../push.ts';
import type { Watched } from '../../store/calls.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { printable } from '../output/printable.ts';

export function addTail(program: Command, context: CommandContext): void {
  program
    .command('tail')
    .description('watch the server live: rates, queue, providers, latency and every outcome')
    .option('--workspace <slug>', 'only this workspace')
    .option('--channel <slug>', 'only this channel; without --workspace, channels of this name in every workspace')
    .addOption(new Option('--route <route>', 'only pushes on this route').choices(ROUTES))
    .option('--event <public_id>', 'only new outcomes of this event')
    .examples(
      'pushctl tail',
      'pushctl tail --workspace acme --channel alerts --route fcm',
      'pushctl tail --workspace acme --json | jq .reason',
    )
    .action((watched: Watched) => run(context, watched));
}

async function run(context: CommandContext, watched: Watched): Promise<void> {
  const { process, options } = context;
  const { noteWhereOthers, readSocketOf } = await import('../data-folder.ts');
  const { socketPath } = await import('../../store/data-folder.ts');
  const config = await context.config();
  const isShared = config.store !== null;
  const readSocket = readSocketOf(context, config);
  if (readSocket === null) noteWhereOthers(context, config);
  const socket = readSocket ?? socketPath(config.dataDir);
  const isLive = context.canDraw() && process.stdin.isTTY && !options.json;
  if (isLive) {
    const { watchLive } = await import('../tail/live.tsx');
    await watchLive({ socket, isShared, watched, process });
    return;
  }
  const { follow, jsonLines, plainLines } = await import('../tail/follow.ts');
  const stopping = new AbortController();
  void untilStopped(process).then(() => stopping.abort());
  const linesOf = options.json ? jsonLines : plainLines;
  let wasDown = false;
  await follow({
    socket,
    isShared,
    watched,
    withDevices: options.json === true,
    signal: stopping.signal,
    onItem: (item) => {
      for (const line of linesOf(item)) process.stdout.write(`${printable(line)}\n`);
    },
    onLink: (isUp) => {
      if (isUp === wasDown)
        context.note(isUp ? 'pushctl: the server is back.' : 'pushctl: the server has stopped; waiting for it.');
      wasDown = !isUp;
    },
  });
}
