import { once } from 'node:events';
import { Option } from 'commander';
import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import type { ReadingOptions } from '../../../host/logs.ts';
import { packageVersion } from '../../../process/package.ts';
import { untilStopped } from '../../../process/until-stopped.ts';
import { duration } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { type LevelName, LOG_LEVELS, type LogEntry } from '../../logs.ts';
import { printableJson, printableStyled } from '../../output/printable.ts';
import { shortDuration } from '../../output/stats-report.ts';

export function addServe(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description(
      'run the server until a signal stops it (SIGTERM, SIGINT); SIGHUP reloads certificates and keys at once',
    )
    .examples('pushctl serve', 'pushctl --config ./pushctl.toml serve')
    .action(() => serve(context));
}

async function serve(context: CommandContext): Promise<void> {
  const { heldSockets } = await import('../../../config/held-sockets.ts');
  const held = heldSockets(context.process.env, context.process.pid);
  const config = await context.ownConfig();
  const { startServer } = await import('../../../server/server.ts');
  const { createLog } = await import('../../../server/log.ts');
  const { isJournal, runService, serviceManager, withSeverity } = await import('../../../host/systemd.ts');
  const { pino } = await import('pino');
  const { isOthers, noteOn, dataLocation } = await import('../../data-folder.ts');
  const { process } = context;
  const location = dataLocation(context, config);
  if (isOthers(location)) context.note(noteOn(location));
  const stdout = pino.destination({ sync: false });
  const log = createLog(config.log.level, isJournal(process.env) ? withSeverity(stdout) : stdout);
  const manager = serviceManager({ env: process.env, pid: process.pid, log });
  const end = (what: string): void => {
    context.note(`pushctl: ${what}. Accepted events are kept. Start the server again.`);
    process.exit(1);
  };
  // After an uncaught error no state is certain.
  process.once('uncaughtException', (error) => end(`an unexpected error: ${error.stack ?? error.message}`));
  const onFatal = (error: Error): void => end(`the store thread died: ${error.message}`);
  await runService(await startServer(config, { version: packageVersion(), log, held, onFatal }), {
    process,
    manager,
    log,
  });
}

/** Adds the command of the unit pushctl-credentials, run as root. */
export function addCopyCredentials(program: Command, context: CommandContext): void {
  program
    .command('__hand-over', { hidden: true })
    .argument('<folder>', 'folder for the copies of the service')
    .action(async (folder: string) => {
      const { copyCredentials } = await import('../../../host/credential-copy.ts');
      const file = context.options.config ?? (context.process.env.PUSHCTL_CONFIG || SYSTEM_CONFIG_FILE);
      const changed = copyCredentials({ file, folder });
      if (changed.length > 0) context.print({ changed }, () => `copied for the service: ${changed.join(', ')}`);
    });
}

interface LogsOptions {
  readonly since?: number;
  readonly follow?: boolean;
  readonly level: LevelName;
}

/** The journal's default, since a busy server logs each request. */
const SINCE_MS = 3_600_000;

export function addLogs(program: Command, context: CommandContext): void {
  program
    .command('logs [file]')
    .description(
      "show the log in readable form: the service's journal, or a file (- for standard input); with --json, print the raw lines",
    )
    .option('--since <duration>', 'period to show (default: 1h of the journal, all of a file)', duration)
    .option('--follow', 'keep showing new lines until Ctrl-C')
    .addOption(
      new Option('--level <level>', 'only lines of at least this level')
        .choices(Object.keys(LOG_LEVELS))
        .default('debug'),
    )
    .examples(
      'sudo pushctl logs --since 24h --level warn',
      'sudo pushctl logs --follow',
      'pushctl logs /var/log/pushctl.log',
      'docker logs pushctl 2>&1 | pushctl logs -',
    )
    .action((file: string | undefined, options: LogsOptions) => showLogs(context, file, options));
}

async function showLogs(context: CommandContext, file: string | undefined, options: LogsOptions): Promise<void> {
  const { since, level } = options;
  const sinceMs = since === undefined && file !== undefined ? 0 : Date.now() - (since ?? SINCE_MS);
  const { entryOf } = await import('../../logs.ts');
  const stopping = new AbortController();
  void untilStopped(context.process).then(() => stopping.abort());
  const reading = { sinceMs, isFollowed: options.follow === true, signal: stopping.signal };
  const print = await logPrinter(context);
  let isEmpty = true;
  /** Lines without a time belong to the previous. */
  let isRecent = true;
  for await (const line of await openLog(context, file, reading)) {
    isEmpty = false;
    const entry = entryOf(line);
    if (entry.atMs !== null) isRecent = entry.atMs >= sinceMs;
    if (isRecent && entry.level >= LOG_LEVELS[level]) await print(entry);
  }
  if (isEmpty && file === undefined && !stopping.signal.aborted) {
    const span = shortDuration(since ?? SINCE_MS);
    context.note(
      `pushctl: the journal has no lines of the service from the last ${span}. \`--since 30d\` looks further back; \`pushctl doctor\` shows whether the service runs.`,
    );
  }
}

async function openLog({ process }: CommandContext, file: string | undefined, reading: ReadingOptions) {
  if (file === undefined) return (await import('../../../host/logs.ts')).journalLines(reading);
  const { fileLines, textLines } = await import('../../../host/logs.ts');
  return file === '-' ? textLines(process.stdin, reading.signal) : fileLines(file, reading);
}

/** Prints at the reader's pace: a log may exceed the memory. */
async function logPrinter({ process, options }: CommandContext): Promise<(entry: LogEntry) => Promise<void>> {
  const { stdout } = process;
  const { entryLine } = await import('../../logs.ts');
  const textOf = (entry: LogEntry): string =>
    options.json ? printableJson(entry.document) : printableStyled(entryLine(entry, stdout));
  return async (entry) => {
    if (!stdout.write(`${textOf(entry)}\n`)) await once(stdout, 'drain');
  };
}
