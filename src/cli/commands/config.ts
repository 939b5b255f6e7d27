import type { Command } from 'commander';
import { type Config, configuredRoutes } from '../../config.ts';
import { examples } from '../arguments.ts';
import type { Session } from '../session.ts';
import { fields } from '../table.ts';

export function addConfig(program: Command, session: Session): void {
  const config = program
    .command('config')
    .description('the configuration: one TOML file, and the environment over it')
    .addHelpText('after', examples('pushctl config check'));

  config
    .command('check')
    .description('read the configuration and name every mistake in it; starts nothing')
    .addHelpText('after', examples('pushctl config check', 'pushctl --config ./pushctl.toml config check --json'))
    .action(async () => {
      const { loadConfigFrom } = await import('../../config/load.ts');
      const { process, options } = session;
      const uid = process.getuid?.();
      const loaded = loadConfigFrom({ env: process.env, file: options.config, dataDir: options.dataDir, uid });
      session.print(loaded, () => summary(session, loaded.config, loaded.file));
    });
}

function summary(session: Session, config: Config, file: string | null): string {
  const shown = fields(session, {
    file: file ?? 'none: environment and defaults',
    listen: `${config.listen.host} port ${config.listen.port}${config.tls === null ? '' : ' (TLS)'}`,
    'data folder': config.dataDir,
    'pushes go by': configuredRoutes(config).join(' ') || 'no provider: no device is targeted',
  });
  return `The configuration is right.\n${shown}`;
}
