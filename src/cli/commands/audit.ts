import type { Command } from 'commander';
import type { AuditEntry } from '../../store/people-calls.ts';
import { examples, positiveInteger } from '../arguments.ts';
import { granted, type Session } from '../session.ts';
import { table, when } from '../table.ts';

interface AuditOptions {
  readonly workspace?: string;
  readonly limit: number;
  readonly before?: string;
}

export function addAudit(program: Command, session: Session): void {
  program
    .command('audit')
    .description('who changed what, when, and from where, newest first')
    .option('--workspace <workspace>', 'only what concerns this workspace')
    .option('--limit <number>', 'how many', positiveInteger, 50)
    .option('--before <position>', 'go on from here: `next` of the page before')
    .addHelpText('after', examples('pushctl audit', 'pushctl audit --workspace acme --limit 200'))
    .action(async (options: AuditOptions) => {
      const page = granted(await session.withStore((store) => store.listAudit(options)));
      const more = page.next === null ? '' : `\nThere is more: --before ${page.next}`;
      session.print(page, () => list(session, page.entries) + more);
    });
}

function list(session: Session, entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ at, actor, action, workspace, object }) => [
    when(at),
    actor.name,
    actor.address ?? 'this server',
    action,
    workspace,
    object,
  ]);
  return table(session, ['AT', 'WHO', 'FROM', 'ACTION', 'WORKSPACE', 'WHAT'], rows, 'Nothing was changed yet.');
}
