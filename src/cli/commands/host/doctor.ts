import { systemClock } from '../../../process/clock.ts';
import { type Finding, fail } from '../../../process/finding.ts';
import { packageVersion } from '../../../process/package.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { StoreClient } from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import type { Loaded } from '../../loaded.ts';
import { type FailOptions, failWhere, findingLines, WARNINGS_AS_ERRORS } from '../../output/finding-lines.ts';

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'find problems that keep pushes from arriving, and say how to fix them; exit 1 on a failure, 0 on warnings',
    )
    .option(...WARNINGS_AS_ERRORS)
    .examples('sudo pushctl doctor', 'sudo pushctl doctor --json')
    .action(async (options: FailOptions) => {
      const findings = await lookAt(context);
      context.print({ findings }, () => findingLines(context, findings));
      failWhere(context, findings, options);
    });
}

/** Opens the running servers' store; null: none answers, so doctor signs its own tokens. */
async function runningStore(loaded: Loaded): Promise<StoreClient | null> {
  const { openRunningStoreOf } = await import('../../store.ts');
  return openRunningStoreOf(loaded).catch(() => null);
}

/** Gathers the findings, mistakes of the configuration included. */
async function lookAt(context: CommandContext): Promise<readonly Finding[]> {
  const { withBroken } = await import('../../loaded.ts');
  const { noteWhereOthers } = await import('../../data-folder.ts');
  const { examine } = await import('../../../host/doctor/doctor.ts');
  const { TokenKeeper } = await import('../../../providers/signing/tokens.ts');
  const { tokenShelf } = await import('../../../store/token-shelf.ts');
  try {
    const loaded = await context.loaded();
    noteWhereOthers(context, loaded.config);
    const clock = systemClock();
    const store = await runningStore(loaded);
    try {
      const tokens = new TokenKeeper(clock, store && tokenShelf(store));
      return withBroken(loaded, await examine({ ...loaded, version: packageVersion(), clock }, tokens));
    } finally {
      await store?.close();
    }
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return [fail('configuration', error.message, 'fix that, then run this again: the other checks depend on it')];
  }
}
