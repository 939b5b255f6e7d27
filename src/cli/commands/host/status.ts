import { packageVersion } from '../../../process/package.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { type FailOptions, failWhere, WARNINGS_AS_ERRORS } from '../../output/finding-lines.ts';

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(
      'show the state of the server on one screen: routes, queue, certificate, last backup, warnings; exit 1 if it does not run or something failed, 0 on warnings',
    )
    .option(
      '--alive',
      'only check whether the server answers, for health checks that restart it; ignores paused routes',
    )
    .option(...WARNINGS_AS_ERRORS)
    .examples('sudo pushctl status', 'sudo pushctl status --json | jq .warnings', 'pushctl status --alive')
    .action(async ({ alive = false, ...options }: FailOptions & { readonly alive?: boolean }) => {
      if (alive) return showAlive(context);
      const { noteWhereOthers } = await import('../../data-folder.ts');
      const { noteOnReading, readSocketOf } = await import('../../reading.ts');
      const collect = await import('../../status/collect.ts');
      const { statusReport } = await import('../../status/report.ts');
      const { config } = await context.loaded();
      const readSocket = readSocketOf(context, config);
      if (readSocket === null) noteWhereOthers(context, config);
      else noteOnReading(context, config);
      const isReader = readSocket !== null;
      const status = await (isReader ? collect.readStatus(readSocket) : collect.collectStatus(context));
      context.print(status, () => statusReport(context, status, { nowMs: Date.now(), isReader }));
      failWhere(context, status.warnings, options);
    });
}

/**
 * Asks for `GET /healthz`, which ignores paused routes, as restarts do not help. Loads few modules: containers ask
 * every 30 s.
 */
async function showAlive(context: CommandContext): Promise<void> {
  const config = await context.config();
  const { readSocketOf } = await import('../../reading.ts');
  const { socketPath } = await import('../../../store/data-folder.ts');
  const { askForItem } = await import('../../../store/transports/socket-client.ts');
  const path = readSocketOf(context, config) ?? socketPath(config.dataDir);
  const answer = await askForItem({ path, version: packageVersion(), call: 'alive' });
  if (answer === null) throw new OperatorProblem(`no server answers at ${path}.`);
  const { alive } = answer as { readonly alive: boolean };
  if (!alive) throw new OperatorProblem(`the server at ${path} hangs.`, 1, { advice: 'Restart it.' });
  context.print({ alive: true }, () => 'The server answers.');
}
