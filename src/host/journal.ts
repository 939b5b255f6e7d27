import { fstatSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const STDOUT = 1;

/** The journal's severities by pino's levels: sd-daemon(3). */
const SEVERITIES: Readonly<Record<string, number>> = { 60: 2, 50: 3, 40: 4, 30: 6, 20: 7, 10: 7 };

/** Returns whether standard output is systemd's journal, by the socket it names. */
export function isJournal({ JOURNAL_STREAM }: Readonly<Record<string, string | undefined>>): boolean {
  const { dev, ino } = fstatSync(STDOUT);
  return JOURNAL_STREAM === `${dev}:${ino}`;
}

/** Adds each line's severity for `journalctl --priority`; the journal removes it. */
export function withSeverity(destination: DestinationStream): DestinationStream {
  return {
    write(line) {
      const [, level = '30'] = /^\{"level":(\d+)/.exec(line) ?? [];
      destination.write(`<${SEVERITIES[level] ?? 6}>${line}`);
    },
  };
}

/** Returns pino's level for the severity of others' lines. */
export function levelOf(severity: number): number {
  const levels = Object.entries(SEVERITIES).filter(([, levelSeverity]) => levelSeverity >= severity);
  return Math.max(20, ...levels.map(([level]) => Number(level)));
}
