import type { AuditEntry, AuditFilter } from '../../store/calls/members.ts';
import { duration, given, positiveInteger } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { listingOf, type Noun } from '../noun.ts';
import { printPages } from '../output/listing.ts';
import { when } from '../output/table.ts';
import { pagesOf } from '../paging.ts';

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
