import type { Command } from 'commander';
import type { AuditEntry } from '../../store/people-calls.ts';
import { examples, positiveInteger } from '../arguments.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { type Listing, printPages } from '../output/listing.ts';
import { when } from '../output/table.ts';
import { pagesOf } from '../pages.ts';

interface AuditOptions {
  readonly workspace?: string;
  readonly limit: number;
  readonly before?: string;
}

const ENTRIES: Listing<AuditEntry> = {
  name: 'entries',
  headings: ['AT', 'WHO', 'FROM', 'ACTION', 'WORKSPACE', 'WHAT'],
  rows: ({ at, actor, action, workspace, object }) => [
    [when(at), actor.name, actor.address ?? 'this server', action, workspace, object],
  ],
  empty: 'Nothing was changed yet.',
};

export function addAudit(program: Command, context: CommandContext): void {
  program
    .command('audit')
    .description('who changed what, when, and from where, newest first')
    .option('--workspace <workspace>', 'only what concerns this workspace')
    .option('--limit <number>', 'how many', positiveInteger, 50)
    .option('--before <position>', 'go on from here: `next` of the page before')
    .addHelpText('after', examples('pushctl audit', 'pushctl audit --workspace acme --limit 200'))
    .action((options: AuditOptions) => list(context, options));
}

async function list(context: CommandContext, { workspace, limit: most, before }: AuditOptions): Promise<void> {
  let next: string | null = null;
  const tail = () => ({ document: { next }, text: next === null ? '' : `There is more: --before ${next}\n` });
  await context.withStore((store) => {
    const pages = pagesOf(most, async (limit, from = before) => {
      const asked = {
        limit,
        ...(workspace !== undefined && { workspace }),
        ...(from !== undefined && { before: from }),
      };
      const page = unwrap(await store.listAudit(asked));
      next = page.next;
      return { items: page.entries, next };
    });
    return printPages(context, ENTRIES, pages, { tail });
  });
}
