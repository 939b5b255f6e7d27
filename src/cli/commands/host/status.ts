import type { Command } from 'commander';
import { examples } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { failWhere } from '../../output/finding-lines.ts';

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(
      'how the server does, on one screen: routes, queue, certificate, last backup, warnings; exit 0 where it runs and is well, else 1',
    )
    .addHelpText('after', examples('sudo pushctl status', 'sudo pushctl status --json | jq .warnings'))
    .action(async () => {
      const [{ noteWhereOthers }, { noteOnReading, readSocketOf }, collect, { statusReport }] = await Promise.all([
        import('../../data-folder.ts'),
        import('../../reading.ts'),
        import('../../status/collect.ts'),
        import('../../status/report.ts'),
      ]);
      const config = await context.config();
      const readSocket = readSocketOf(context, config);
      if (readSocket === null) noteWhereOthers(context, config);
      else noteOnReading(context, config);
      const status = await (readSocket === null ? collect.collectStatus(context) : collect.readStatus(readSocket));
      context.print(status, () => statusReport(context, status, Date.now()));
      failWhere(context, status.warnings);
    });
}
