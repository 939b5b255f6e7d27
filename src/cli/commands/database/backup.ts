import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../../config/config.ts';
import { packageVersion } from '../../../process/package.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { StoreUnavailable } from '../../../store/calls.ts';
import type { Backup } from '../../../store/sqlite/files/backup.ts';
import type { Restored } from '../../../store/sqlite/files/restore.ts';
import { given } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { count, size } from '../../output/table.ts';
import { ask } from '../../questions.ts';

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
function refusePostgres({ store }: Config, advice: string): void {
  if (store === null) return;
  throw new OperatorProblem(
    "the data is in PostgreSQL ([store] url), so PostgreSQL's own programs make and restore backups.",
    1,
    { advice: `${advice} https://www.postgresql.org/docs/current/backup.html` },
  );
}

export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore <file>')
    .description('replace the database with a backup, and keep the old database aside; stop the server first')
    .option('--resend', 'also send the pushes that were queued in the backup (most of them were sent since)')
    .option('--withdraw', 'do not send queued pushes; without either option, a terminal asks')
    .option(
      '--drill',
      'only test the backup: restore it into a scratch folder (in TMPDIR), count its contents, and remove it',
    )
    .examples(
      'pushctl restore /var/backups/pushctl-2026-11-21.db',
      'pushctl restore --drill /var/backups/pushctl-2026-11-21.db',
    )
    .action(async (file: string, options: RestoreOptions) => {
      if (options.drill) return tryOut(context, file, options);
      const config = await context.ownConfig();
      refusePostgres(
        config,
        'Stop every server of this installation, and restore the database with the program that made its backup. Run `pushctl queue withdraw` before the first server starts, because most queued pushes were sent since:',
      );
      const { dataDir } = config;
      const { restore, waitingIn } = await import('../../../store/sqlite/files/restore.ts');
      const resend = await isToBeSent(context, options, () => waitingIn(file));
      const sent = resend ? await waitingIn(file) : null;
      const restored = restore({ dataDir, file, resend, wallMs: Date.now() });
      context.print({ restored }, () => report(file, restored, sent));
    });
}

interface RestoreOptions {
  readonly drill?: boolean;
  readonly resend?: boolean;
  readonly withdraw?: boolean;
}

/** Tries a restore without configuration and server, as on backup machines. */
async function tryOut(context: CommandContext, file: string, { resend, withdraw }: RestoreOptions): Promise<void> {
  if (resend || withdraw) throw new OperatorProblem('--drill sends and withdraws nothing', 2);
  const { drill } = await import('../../../store/sqlite/files/restore.ts');
  const drilled = drill(file, Date.now());
  const { workspaces, devices, events } = drilled;
  const counts = [count(workspaces, 'workspace'), count(devices, 'device'), count(events, 'event')].join(', ');
  context.print({ drilled }, () => `${file} can be restored: ${counts}. Nothing was changed.`);
}

/** Returns whether to send the backup's queue. Asks at a terminal; scripts withdraw by default. */
async function isToBeSent(
  { process }: CommandContext,
  { resend = false, withdraw = false }: RestoreOptions,
  waitingIn: () => Promise<number | null>,
): Promise<boolean> {
  if (resend && withdraw) throw new OperatorProblem('--resend and --withdraw contradict each other', 2);
  if (resend || withdraw || !process.stdin.isTTY) return resend;
  const waiting = await waitingIn();
  if (!waiting) return false;
  const answer = await ask(
    process,
    `${count(waiting, 'push', 'pushes')} were queued in the backup, and most may have been sent since. "send" or "withdraw" them? `,
  );
  if (answer !== 'send' && answer !== 'withdraw') throw new OperatorProblem('nothing was changed');
  return answer === 'send';
}

/** Reports the restore. `sent`: queued pushes that are sent. */
function report(file: string, restored: Restored, sent: number | null): string {
  const { events, withdrawn, scheduled_ended: ended, scheduled_kept: waiting, kept, other_webpush_key } = restored;
  const lines = [`Restored ${file}: ${count(events, 'event')}.`];
  if (kept !== null) lines.push(`The previous database is kept as ${kept}.`);
  if (other_webpush_key) lines.push(OTHER_KEY);
  if (sent) lines.push(`${count(sent, 'push', 'pushes')} queued in the backup will be sent.`);
  if (withdrawn > 0) {
    const what = `${count(withdrawn, 'push', 'pushes')} queued in the backup will not be sent`;
    lines.push(`${what}. To send them, restore with --resend.`);
  }
  if (ended > 0) {
    const what = `${count(ended, 'scheduled event')} became due since the backup`;
    lines.push(`${what}, may have been sent, and will not be sent now. To send them, restore with --resend.`);
  }
  if (waiting > 0) {
    const what = `${count(waiting, 'scheduled event')} will be sent at their time`;
    lines.push(`${what}: pushctl event list <workspace> --scheduled`);
  }
  return lines.join('\n');
}

const OTHER_KEY =
  'Its Web Push key differs from the previous key. Browsers that subscribed with the previous key get no pushes until they open the web app.';
