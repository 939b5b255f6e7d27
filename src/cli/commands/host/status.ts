import type { Command } from 'commander';
import { examples } from '../../arguments.ts';
import type { Session } from '../../session.ts';

export function addStatus(program: Command, session: Session): void {
  program
    .command('status')
    .description(
      'how the server does, on one screen: routes, queue, certificate, last backup, warnings; exit 0 where it runs and is well, else 1',
    )
    .addHelpText('after', examples('sudo pushctl status', 'sudo pushctl status --json | jq .warnings'))
    .action(async () => {
      const [{ noteWhereOthers }, { isWell, lookAtStatus }, { statusReport }] = await Promise.all([
        import('../../data-folder.ts'),
        import('../../status/look.ts'),
        import('../../status/report.ts'),
      ]);
      noteWhereOthers(session, await session.config());
      const status = await lookAtStatus(session);
      session.print(status, () => statusReport(session, status, Date.now()));
      if (!isWell(status)) session.process.exitCode = 1;
    });
}
