import type { Command } from 'commander';
import type { Stats, StatsCounts } from '../../store/calls.ts';
import { duration, examples } from '../arguments.ts';
import { granted, type Session } from '../session.ts';
import { table, when } from '../table.ts';

const DAY_MS = 86_400_000;
const COUNTS = [
  'accepted',
  'failed',
  'unregistered',
  'expired',
  'withdrawn',
  'deferred',
  'fitted',
  'links_lost',
] as const;

export function addStats(program: Command, session: Session): void {
  program
    .command('stats')
    .description('count events and pushes by channel, route and reason')
    .option('--workspace <slug>', 'only this one')
    .option('--since <duration>', 'how far back', duration, DAY_MS)
    .addHelpText('after', examples('pushctl stats --since 7d', 'pushctl stats --workspace acme --json'))
    .action(async ({ workspace, since }: { workspace?: string; since: number }) => {
      const wallMs = Date.now();
      const args = { sinceMs: wallMs - since, wallMs, ...(workspace !== undefined && { workspace }) };
      const stats = granted(await session.withStore((store) => store.stats(args)));
      session.print(stats, () => report(session, stats));
    });
}

function report(session: Session, stats: Stats): string {
  const headings = ['EVENTS', ...COUNTS.map((name) => name.replace('_', ' ').toUpperCase())];
  const channels = stats.channels.map((row) => [`${row.workspace}/${row.channel}`, row.events, ...numbers(row)]);
  const routes = stats.routes.map((row) => [row.route, ...numbers(row)]);
  const reasons = stats.reasons.map(({ route, state, reason, count }) => [route, state, reason, count]);
  return [
    `From ${when(stats.since)} to ${when(stats.until)}`,
    table(session, ['CHANNEL', ...headings], [...channels, ['all', stats.events, ...numbers(stats.totals)]], ''),
    table(session, ['ROUTE', ...headings.slice(1)], routes, 'No push was sent.'),
    ...(reasons.length > 0 ? [table(session, ['ROUTE', 'STATE', 'REASON', 'COUNT'], reasons, '')] : []),
  ].join('\n\n');
}

function numbers(counts: StatsCounts): number[] {
  return COUNTS.map((name) => counts[name]);
}
