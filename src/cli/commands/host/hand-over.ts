import type { Command } from 'commander';
import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import type { CommandContext } from '../../context.ts';

/** For the unit pushctl-credentials, which runs it as root. */
export function addHandOver(program: Command, context: CommandContext): void {
  program
    .command('__hand-over', { hidden: true })
    .argument('<folder>', 'where the copies for the service go')
    .action(async (folder: string) => {
      const { handOver } = await import('../../../host/hand-over.ts');
      const file = context.options.config ?? (context.process.env.PUSHCTL_CONFIG || SYSTEM_CONFIG_FILE);
      const changed = handOver({ file, folder });
      if (changed.length > 0) context.print({ changed }, () => `handed over to the service: ${changed.join(', ')}`);
    });
}
