import { once } from 'node:events';
import { Option } from 'commander';
import type { ReadingOptions } from '../../../host/logs.ts';
import { untilStopped } from '../../../process/until-stopped.ts';
import { duration } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { type LevelName, LOG_LEVELS, type LogEntry } from '../../logs.ts';
import { printableJson, printableStyled } from '../../output/printable.ts';
import { shortDuration } from '../../output/stats-report.ts';

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
    .action((file: string | undefined, options: LogsOptions) => run(context, file, options));
}

async function run(context: CommandContext, file: string | undefined, options: LogsOptions): Promise<void> {
  const { since, level } = options;
  const sinceMs = since === undefined && file !== undefined ? 0 : Date.now() - (since ?? SINCE_MS);
  const { entryOf } = await import('../../logs.ts');
  const stopping = new AbortController();
  void untilStopped(context.process).then(() => stopping.abort());
  const reading = { sinceMs, isFollowed: options.follow === true, signal: stopping.signal };
  const print = await printer(context);
  let isEmpty = true;
  /** Lines without a time belong to the previous. */
  let isRecent = true;
  for await (const line of await open(context, file, reading)) {
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

async function open({ process }: CommandContext, file: string | undefined, reading: ReadingOptions) {
  if (file === undefined) return (await import('../../../host/logs.ts')).journalLines(reading);
  const { fileLines, textLines } = await import('../../../host/logs.ts');
  return file === '-' ? textLines(process.stdin, reading.signal) : fileLines(file, reading);
}

/** Prints at the reader's pace: a log may exceed the memory. */
async function printer({ process, options }: CommandContext): Promise<(entry: LogEntry) => Promise<void>> {
  const { stdout } = process;
  const { entryLine } = await import('../../logs.ts');
  const textOf = (entry: LogEntry): string =>
    options.json ? printableJson(entry.document) : printableStyled(entryLine(entry, stdout));
  return async (entry) => {
    if (!stdout.write(`${textOf(entry)}\n`)) await once(stdout, 'drain');
  };
}
