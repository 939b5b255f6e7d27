import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { OperatorProblem } from '../process/problem.ts';
import { levelOf } from './systemd.ts';

/** A line of a log, with metadata from outside the line. */
export interface LogLine {
  readonly text: string;
  /** null: nothing. */
  readonly about: {
    readonly atMs: number;
    /** The level in pino's numbers. */
    readonly level: number;
    /** Another program that reports on it; null: pushctl itself. */
    readonly by: string | null;
  } | null;
}

export interface ReadingOptions {
  /** Older lines may be left out. */
  readonly sinceMs: number;
  /** Follows new lines until the signal aborts. */
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}

/** Absolute, so that no PATH decides what root runs. */
const JOURNALCTL = '/usr/bin/journalctl';
const UNIT = 'pushctl.service';
const ELSEWHERE =
  'If the server runs without systemd, pass its log file (`pushctl logs <file>`), or pipe the log (`… | pushctl logs -`).';

/** The used fields of an entry: systemd.journal-fields(7), journalctl(1) `--output=json`. */
interface Entry {
  readonly MESSAGE?: string | readonly number[] | null;
  readonly PRIORITY?: string;
  readonly SYSLOG_IDENTIFIER?: string;
  /** Microseconds. */
  readonly __REALTIME_TIMESTAMP: string;
}

/**
 * Yields the lines of the service and of systemd about it, oldest first. Throws an `OperatorProblem` without a readable
 * journal.
 */
export async function* journalLines(options: ReadingOptions & { journalctl?: string }): AsyncGenerator<LogLine> {
  const { sinceMs, isFollowed, signal, journalctl = JOURNALCTL } = options;
  const ask = (...args: readonly string[]) =>
    linesOf([journalctl, `--unit=${UNIT}`, '--no-pager', ...args], ELSEWHERE, signal);
  // With JSON output, journalctl does not report missing rights.
  refuseWhereUnreadable(await endOf(ask('--lines=0')));
  const since = `--since=@${Math.floor(sinceMs / 1_000)}`;
  const form = ['--output=json', '--output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER', '--all'];
  for await (const line of ask(since, ...form, ...(isFollowed ? ['--follow', '--no-tail'] : []))) {
    yield lineOf(JSON.parse(line) as Entry);
  }
}

async function endOf(lines: AsyncGenerator<string, ChildEnd>): Promise<ChildEnd> {
  for (;;) {
    const { done, value } = await lines.next();
    if (done) return value;
  }
}

function refuseWhereUnreadable({ code, errorText }: ChildEnd): void {
  if (/insufficient permissions|not seeing messages/i.test(errorText)) {
    throw new OperatorProblem(
      'this user may not read the journal of the service. Run `sudo pushctl logs`, or add the user to the group systemd-journal.',
    );
  }
  if (/no journal files/i.test(errorText)) throw new OperatorProblem(`this machine has no journal. ${ELSEWHERE}`);
  if (code !== 0 && errorText !== '') throw new OperatorProblem(`journalctl failed: ${errorText.trim()}`);
}

function lineOf({ MESSAGE, PRIORITY = '6', SYSLOG_IDENTIFIER = '', __REALTIME_TIMESTAMP }: Entry): LogLine {
  const isOther = SYSLOG_IDENTIFIER.startsWith('systemd');
  const by = isOther ? SYSLOG_IDENTIFIER : null;
  const atMs = Number(__REALTIME_TIMESTAMP) / 1_000;
  return { text: textOf(MESSAGE), about: { atMs, level: levelOf(Number(PRIORITY)), by } };
}

/** The journal gives non-text fields as bytes. */
function textOf(message: Entry['MESSAGE']): string {
  if (typeof message === 'string') return message;
  return Buffer.from(message ?? []).toString('utf8');
}

const TAIL = '/usr/bin/tail';

/** Yields a file's lines, even if rotated. Throws `OperatorProblem` if unreadable. */
export async function* fileLines(
  name: string,
  { isFollowed, signal }: Pick<ReadingOptions, 'isFollowed' | 'signal'>,
): AsyncGenerator<LogLine> {
  const path = resolve(name);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if ((await file.stat()).isDirectory()) {
    await file.close();
    throw new OperatorProblem(`${path} is a folder. Pass the file in it.`);
  }
  if (!isFollowed) return yield* textLines(file.createReadStream(), signal);
  await file.close();
  const advice = 'Without --follow, the file is read once.';
  for await (const text of linesOf([TAIL, '--lines=+1', '--follow=name', '--retry', path], advice, signal)) {
    yield { text, about: null };
  }
}

/** Yields a stream's lines until its end or the signal's. */
export async function* textLines(input: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<LogLine> {
  for await (const text of createInterface({ input, signal })) yield { text, about: null };
}

function unreadable(path: string, { code }: NodeJS.ErrnoException): OperatorProblem {
  const why =
    { ENOENT: 'the file does not exist', EACCES: 'this user may not read it (run this as root)' }[code ?? ''] ?? code;
  return new OperatorProblem(`cannot read ${path}: ${why}.`);
}

/** A command's end. `errorText`: its standard error. */
interface ChildEnd {
  readonly code: number | null;
  readonly errorText: string;
}

/**
 * Yields a command's lines, in English, until it ends or the signal aborts. Returns how it ended. Throws
 * `OperatorProblem` with `advice` if the command is missing.
 */
async function* linesOf(
  [command = '', ...args]: readonly string[],
  advice: string,
  signal: AbortSignal,
): AsyncGenerator<string, ChildEnd> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { LC_ALL: 'C' } });
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorProblem(`${command} cannot be run (${error.code}). ${advice}`);
  });
  const ended = once(child, 'close');
  const errorText = text(child.stderr);
  const end = (): void => void child.kill();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    yield* createInterface({ input: child.stdout });
    await ended;
    return { code: child.exitCode, errorText: await errorText };
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
