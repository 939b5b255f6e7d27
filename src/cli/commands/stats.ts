import { Option } from 'commander';
import { durationOption } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { statsReport } from '../output/stats-report.ts';

interface StatsOptions {
  readonly workspace?: string;
  readonly since: number;
  readonly by?: 'hour' | 'day';
}

export function addStats(program: Command, context: CommandContext): void {
  program
    .command('stats')
    .description('count events and pushes by channel, route, reason and time, with latency and the month so far')
    .option('--workspace <slug>', 'only this workspace')
    .addOption(durationOption('--since <duration>', 'period to count', '24h'))
    .addOption(new Option('--by <period>', 'also print a line per hour or day').choices(['hour', 'day']))
    .examples('pushctl stats --since 7d --by day', 'pushctl stats --workspace acme --json')
    .action(async ({ since, ...options }: StatsOptions) => {
      const args = { sinceMs: Date.now() - since, ...options };
      await context.withReadableStore(async (store) => {
        const stats = unwrap(await store.stats(args));
        // Only for all workspaces: a device's person may be in several.
        const routes = options.workspace === undefined ? await store.listRoutes({}) : [];
        const quarantined = routes.flatMap(({ route, quarantined }) =>
          quarantined.map((group) => ({ route, ...group })),
        );
        context.print({ ...stats, quarantined }, () => statsReport(context, stats, quarantined));
      });
    });
}
