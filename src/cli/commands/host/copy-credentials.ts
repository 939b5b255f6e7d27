import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';

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
