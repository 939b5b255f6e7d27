import { Option } from 'commander';
import { OperatorProblem } from '../../process/problem.ts';
import type { Explanation } from '../../providers/explain.ts';
import type { AuditEntry, AuditFilter } from '../../store/calls/members.ts';
import { nearest } from '../../values/nearest.ts';
import { duration, durationOption, given, positiveInteger } from '../arguments.ts';
import { type Command, listingOf, type Noun } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { pagesOf, printPages } from '../output/listing.ts';
import { statsReport } from '../output/stats-report.ts';
import { fields, when } from '../output/table.ts';

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

interface AuditOptions extends Omit<AuditFilter, 'sinceMs'> {
  readonly since?: number;
}

const ENTRY: Noun<AuditEntry> = {
  name: 'entry',
  plural: 'entries',
  columns: {
    AT: ({ at }) => when(at),
    WHO: ({ actor }) => actor.name,
    FROM: ({ actor }) => (actor.kind === 'key' ? 'an API key' : (actor.address ?? 'this server')),
    ACTION: ({ action }) => action,
    WORKSPACE: ({ workspace }) => workspace,
    WHAT: ({ object }) => object,
  },
  empty: 'No entries.',
};

export function addAudit(program: Command, context: CommandContext): void {
  program
    .command('audit')
    .description('list who changed what, when and from where, newest first')
    .option('--workspace <workspace>', 'only changes that concern this workspace')
    .option(
      '--actor <name>',
      'only changes by this actor: an email address, an account of this machine, or a key as listed here',
    )
    .option('--action <action>', 'only this action, such as key.revoke, or all actions on a noun, such as key')
    .option('--since <duration>', 'only changes younger than this, such as 24h', duration)
    .option('--limit <number>', 'how many changes to list', positiveInteger, 50)
    .option('--before <position>', 'continue from here: `next` of the previous page')
    .examples('pushctl audit', 'pushctl audit --workspace acme --limit 200', 'pushctl audit --action key --since 30d')
    .action((options: AuditOptions) => list(context, options));
}

async function list(context: CommandContext, { limit: most, before, since, ...filter }: AuditOptions): Promise<void> {
  let next: string | null = null;
  const sinceMs = since === undefined ? since : Date.now() - since;
  const tail = () => ({ document: { next }, text: next === null ? '' : `There is more: --before ${next}\n` });
  await context.withStore((store) => {
    const pages = pagesOf('entries', most, async (limit, from = before) => {
      const page = unwrap(await store.listAudit(given({ limit, ...filter, sinceMs, before: from })));
      next = page.next;
      return page;
    });
    return printPages(context, listingOf(ENTRY), pages, { tail });
  });
}
