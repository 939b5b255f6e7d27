import { OperatorProblem } from '../../process/problem.ts';
import type { Explanation } from '../../providers/explain.ts';
import { nearest } from '../../values/nearest.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { fields } from '../output/table.ts';

export function addExplain(program: Command, context: CommandContext): void {
  program
    .command('explain <reason>')
    .description('explain what the reason of a delivery means, and what to do about it')
    .examples('pushctl explain BadDeviceToken', 'pushctl explain UNREGISTERED')
    .action(async (reason: string) => {
      const { explain, explanations } = await import('../../providers/explain.ts');
      const found = explain(reason);
      if (found.length === 0) throw unknown(reason, explanations());
      context.print({ explanations: found }, () =>
        found.map((explanation) => shown(context, explanation)).join('\n\n'),
      );
    });
}

function unknown(reason: string, explanations: readonly Explanation[]): OperatorProblem {
  const reasons = explanations.map((explanation) => explanation.reason);
  const meant = nearest(reason, reasons);
  const advice = meant === null ? '`pushctl event show` and `pushctl stats` show reasons.' : `Did you mean ${meant}?`;
  return new OperatorProblem(`there is no reason "${reason}".`, 1, { code: 'not_found', advice });
}

function shown(context: CommandContext, { provider, reason, status, outcome, means, remedy }: Explanation): string {
  return fields(context, {
    reason,
    from: provider ?? 'pushctl itself',
    status,
    outcome: outcome.kind,
    means,
    'to do': remedy,
  });
}
