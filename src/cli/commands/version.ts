import { packageVersion } from '../../process/package.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';

export function addVersion(program: Command, context: CommandContext): void {
  program
    .command('version')
    .helpGroup('Commands:')
    .description('print the version, with the commit it was built from')
    .examples('pushctl version', 'pushctl version --json')
    .action(() => {
      const version = packageVersion();
      context.print({ version }, () => version);
    });
}
