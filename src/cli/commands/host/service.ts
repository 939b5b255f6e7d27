import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import { packageVersion } from '../../../process/package.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';

export function addServe(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description(
      'run the server until a signal stops it (SIGTERM, SIGINT); SIGHUP reloads certificates and keys at once',
    )
    .examples('pushctl serve', 'pushctl --config ./pushctl.toml serve')
    .action(() => serve(context));
}

async function serve(context: CommandContext): Promise<void> {
  const { heldSockets } = await import('../../../config/held-sockets.ts');
  const held = heldSockets(context.process.env, context.process.pid);
  const config = await context.ownConfig();
  const { startServer } = await import('../../../server/server.ts');
  const { createLog } = await import('../../../server/log.ts');
  const { isJournal, runService, serviceManager, withSeverity } = await import('../../../host/systemd.ts');
  const { pino } = await import('pino');
  const { isOthers, noteOn, dataLocation } = await import('../../data-folder.ts');
  const { process } = context;
  const location = dataLocation(context, config);
  if (isOthers(location)) context.note(noteOn(location));
  const stdout = pino.destination({ sync: false });
  const log = createLog(config.log.level, isJournal(process.env) ? withSeverity(stdout) : stdout);
  const manager = serviceManager({ env: process.env, pid: process.pid, log });
  const end = (what: string): void => {
    context.note(`pushctl: ${what}. Accepted events are kept. Start the server again.`);
    process.exit(1);
  };
  // After an uncaught error no state is certain.
  process.once('uncaughtException', (error) => end(`an unexpected error: ${error.stack ?? error.message}`));
  const onFatal = (error: Error): void => end(`the store thread died: ${error.message}`);
  await runService(await startServer(config, { version: packageVersion(), log, held, onFatal }), {
    process,
    manager,
    log,
  });
}

/** Adds the command of the unit pushctl-credentials, run as root. */
export function addCopyCredentials(program: Command, context: CommandContext): void {
  program
    .command('__hand-over', { hidden: true })
    .argument('<folder>', 'folder for the copies of the service')
    .action(async (folder: string) => {
      const { copyCredentials } = await import('../../../host/credential-copy.ts');
      const file = context.options.config ?? (context.process.env.PUSHCTL_CONFIG || SYSTEM_CONFIG_FILE);
      const changed = copyCredentials({ file, folder });
      if (changed.length > 0) context.print({ changed }, () => `copied for the service: ${changed.join(', ')}`);
    });
}
