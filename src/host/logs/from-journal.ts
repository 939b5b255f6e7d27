import { OperatorProblem } from '../../process/problem.ts';
import { levelOf } from '../journal.ts';
import { type ChildEnd, linesOf } from './child-lines.ts';
import type { LogLine, ReadingOptions } from './lines.ts';

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
