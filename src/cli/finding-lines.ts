import { styleText } from 'node:util';
import type { Finding } from '../host/doctor/finding.ts';
import { plain } from './printable.ts';
import type { Session } from './session.ts';
import { show, withShortTimes } from './table.ts';

/** Each finding in a line, and below it what to do. */
export function findingLines(session: Session, findings: readonly Finding[]): string {
  return findings.map((finding) => line(session, finding)).join('\n');
}

/** The command's exit code is 1 where something is wrong. */
export function failWhere({ process }: Session, findings: readonly Finding[]): void {
  if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1;
}

/** Yellow is hard to read on a light terminal. */
const MARKS = { ok: ['green', 'ok  '], warn: ['magenta', 'warn'], fail: ['red', 'FAIL'] } as const;

function line({ process }: Session, { check, status, message, advice }: Finding): string {
  const [color, word] = MARKS[status];
  const mark = styleText(color, word, { stream: process.stdout });
  const sentences = withShortTimes(message).split('\n').map(show).join('\n        ');
  const todo = advice === null ? '' : `\n      → ${advice.split('\n').map(plain).join('\n        ')}`;
  return `${mark}  ${check}: ${sentences}${todo}`;
}
