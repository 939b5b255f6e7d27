import type { Command } from 'commander';
import { OperatorProblem } from '../../../problem.ts';
import { StoreUnavailable } from '../../../store/calls.ts';
import type { Backup } from '../../../store/sqlite/files/backup.ts';
import { examples } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { count, size } from '../../output/table.ts';
import { refusePostgres } from './postgres-business.ts';

export function addBackup(program: Command, context: CommandContext): void {
  program
    .command('backup <file>')
    .description('write the database to a new file, checked, also while the server runs')
    .option('--allow-empty', 'also where there is no workspace in it yet')
    .addHelpText('after', examples('pushctl backup /var/backups/pushctl-$(date +%F).db'))
    .action((file: string, { allowEmpty = false }: { allowEmpty?: boolean }) => run(context, file, allowEmpty));
}

async function run(context: CommandContext, file: string, allowEmpty: boolean): Promise<void> {
  const config = await context.config();
  refusePostgres(config, 'Use pg_dump, or base backups with the write-ahead log, which go back to any moment:');
  const { dataDir } = config;
  const [{ backUp, DamagedDatabase }, { onData }] = await Promise.all([
    import('../../../store/sqlite/files/backup.ts'),
    import('../../data-folder.ts'),
  ]);
  const onProgress = progressOn(context.process.stderr);
  const options = { dataDir, file, allowEmpty, ...(onProgress && { onProgress }) };
  const backup = await onData(context, config, () => backUp(options)).catch(async (error) => {
    if (error instanceof DamagedDatabase) await tellServer(dataDir);
    throw error;
  });
  await record(context, backup);
  const { bytes, events } = backup;
  context.print({ backup }, () => `Wrote ${backup.file}: ${size(bytes)}, ${count(events, 'event')}, checked.`);
}

/** A server that has not met the damage finds it when it looks, and promises nothing more. It may take long: we do not wait. */
async function tellServer(dataDir: string): Promise<void> {
  const [{ openItemStream }, { socketPath }, { packageVersion }] = await Promise.all([
    import('../../../store/carriers/socket-client.ts'),
    import('../../../store/sqlite/files/folder.ts'),
    import('../../../package.ts'),
  ]);
  const asked = { path: socketPath(dataDir), version: packageVersion(), call: 'check', args: {}, onItem: () => {} };
  const stream = await openItemStream(asked).catch(() => null);
  await stream?.close();
}

/**
 * So that `status` can show it. The copy is good whether or not that can be written, and a database that another
 * version has made stays as it is: to open it would migrate it.
 */
async function record(context: CommandContext, { file, schema }: Backup): Promise<void> {
  const { readMigrations } = await import('../../../store/sqlite/migrations.ts');
  if (schema !== readMigrations().length) return;
  try {
    await context.withStore((store) => store.recordBackup({ file }));
  } catch (error) {
    if (!(error instanceof OperatorProblem || error instanceof StoreUnavailable)) throw error;
    context.note(`pushctl: the backup is made, but \`status\` will not tell of it: ${error.message}`);
  }
}

/** Progress is for a terminal only. */
function progressOn(stderr: NodeJS.WriteStream): ((copied: number, total: number) => void) | null {
  if (!stderr.isTTY) return null;
  return (copied, total) => {
    const percent = total === 0 ? 100 : Math.floor((copied / total) * 100);
    stderr.write(copied < total ? `\r${percent} %` : '\r\u001b[K');
  };
}
