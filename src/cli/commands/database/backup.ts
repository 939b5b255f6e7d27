import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../../config/config.ts';
import { packageVersion } from '../../../process/package.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { StoreUnavailable } from '../../../store/calls.ts';
import type { Backup } from '../../../store/sqlite/files/backup.ts';
import { given } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { count, size } from '../../output/table.ts';

interface Options {
  readonly allowEmpty?: boolean;
  readonly withConfig?: boolean;
}

export function addBackup(program: Command, context: CommandContext): void {
  program
    .command('backup <file>')
    .description(
      'write a checked copy of the database to a new file (- for standard output), also while the server runs',
    )
    .option('--allow-empty', 'allow a database without workspaces')
    .option('--with-config', 'also write the configuration to <file>.toml; neither file has the keys that it names')
    .examples(
      'pushctl backup /var/backups/pushctl-$(date +%F).db',
      'pushctl backup - | ssh backup.example.com "cat > pushctl-$(date +%F).db"',
    )
    .action((file: string, options: Options) => run(context, file, options));
}

async function run(context: CommandContext, file: string, options: Options): Promise<void> {
  const config = await context.config();
  refusePostgres(config, 'Use pg_dump, or base backups with the write-ahead log, which go back to any moment:');
  if (file === '-') await pass(context, config, options);
  else await write(context, config, file, options);
}

async function write(context: CommandContext, config: Config, file: string, options: Options): Promise<void> {
  const { allowEmpty = false, withConfig = false } = options;
  const { backUp } = await import('../../../store/sqlite/files/backup.ts');
  const { ConfigCopy } = await import('./config-copy.ts');
  const copy = withConfig ? ConfigCopy.of(context, `${file}.toml`) : null;
  const backup = await making(context, config, (how) => backUp({ ...how, file, allowEmpty }));
  await record(context, backup);
  const written = copy && { config: copy.write() };
  context.print({ backup: { ...backup, ...written } }, () =>
    [`Wrote ${backup.file}: ${described(backup)}.`, ...(written ? [`Wrote ${written.config}.`] : [])].join('\n'),
  );
}

/** Writes only the backup to standard output. */
async function pass(context: CommandContext, config: Config, options: Options): Promise<void> {
  const { stdout } = context.process;
  if (options.withConfig) throw new OperatorProblem('--with-config needs a backup to a file.', 2);
  if (context.options.json)
    throw new OperatorProblem('--json and a backup cannot both go to standard output.', 2, { advice: 'Name a file.' });
  if (stdout.isTTY)
    throw new OperatorProblem('a backup is not written to a terminal.', 2, {
      advice: 'Name a file, or send it to a program: pushctl backup - | …',
    });
  const { openBackup } = await import('../../../store/sqlite/files/backup.ts');
  const { allowEmpty = false } = options;
  const { fd, backup } = await making(context, config, (how) => openBackup({ ...how, allowEmpty }));
  // Other commands end quietly on a closed pipe; here the backup would be incomplete.
  stdout.removeAllListeners('error');
  await pipeline(createReadStream('', { fd }), stdout, { end: false }).catch((error: Error) => {
    throw new OperatorProblem(`the backup was not read to its end (${error.message}).`);
  });
  const file = '-';
  await record(context, { ...backup, file });
  context.note(`Wrote to standard output: ${described(backup)}.`);
}

function described({ bytes, workspaces, devices, events }: Backup): string {
  const counts = [count(workspaces, 'workspace'), count(devices, 'device'), count(events, 'event')];
  return `${[size(bytes), ...counts].join(', ')}, checked`;
}

interface Making {
  readonly dataDir: string;
  readonly onProgress?: (copied: number, total: number) => void;
}

async function making<T>(context: CommandContext, config: Config, make: (making: Making) => Promise<T>): Promise<T> {
  const { dataDir } = config;
  const { DamagedDatabase } = await import('../../../store/sqlite/files/backup.ts');
  const { onData } = await import('../../data-folder.ts');
  const onProgress = progressOn(context.process.stderr);
  return onData(context, config, () => make(given({ dataDir, onProgress }))).catch(async (error) => {
    if (error instanceof DamagedDatabase) await notifyServer(dataDir);
    throw error;
  });
}

/** Asks the server to check the damage and stop accepting events. Does not wait, as this may be slow. */
async function notifyServer(dataDir: string): Promise<void> {
  const { openItemStream } = await import('../../../store/transports/socket-client.ts');
  const { socketPath } = await import('../../../store/data-folder.ts');
  const asked = { path: socketPath(dataDir), version: packageVersion(), call: 'check', args: {}, onItem: () => {} };
  const stream = await openItemStream(asked).catch(() => null);
  await stream?.close();
}

/**
 * Records the backup for `status`; the copy is good even if this fails. Skips databases of another version, since
 * opening would migrate them.
 */
async function record(context: CommandContext, { file, schema }: Backup): Promise<void> {
  const { readMigrations } = await import('../../../store/sqlite/migrations.ts');
  if (schema !== readMigrations().length) return;
  try {
    await context.withStore((store) => store.recordBackup({ file }));
  } catch (error) {
    if (!(error instanceof OperatorProblem || error instanceof StoreUnavailable)) throw error;
    context.note(`pushctl: the backup was written, but \`status\` will not show it: ${error.message}`);
  }
}

/** Shows progress on terminals only. */
function progressOn(stderr: NodeJS.WriteStream): Making['onProgress'] {
  if (!stderr.isTTY) return undefined;
  return (copied, total) => {
    const percent = total === 0 ? 100 : Math.floor((copied / total) * 100);
    stderr.write(copied < total ? `\r${percent} %` : '\r\u001b[K');
  };
}

/** Rejects a command for PostgreSQL, which has its own backups: `advice` says how. */
export function refusePostgres({ store }: Config, advice: string): void {
  if (store === null) return;
  throw new OperatorProblem(
    "the data is in PostgreSQL ([store] url), so PostgreSQL's own programs make and restore backups.",
    1,
    { advice: `${advice} https://www.postgresql.org/docs/current/backup.html` },
  );
}
