import type { Command } from 'commander';
import { packageVersion } from '../../package.ts';
import { examples } from '../arguments.ts';
import type { Session } from '../session.ts';

export function addServe(program: Command, session: Session): void {
  program
    .command('serve')
    .description('run the server until it is told to stop (SIGTERM, SIGINT); SIGHUP reads credentials again')
    .addHelpText('after', examples('pushctl serve', 'pushctl --config ./pushctl.toml serve'))
    .action(async () => {
      const config = await session.config();
      const { obeySignals, startServer } = await import('../../server.ts');
      await obeySignals(await startServer(config, { version: packageVersion() }));
    });
}
