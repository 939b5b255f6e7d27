import { styleText } from 'node:util';
import type { Finding } from '../../process/finding.ts';
import type { CommandContext } from '../context.ts';
import { plain } from './printable.ts';
import { columnsOf, withShortTimes, wrap } from './table.ts';

export function findingLines(context: CommandContext, findings: readonly Finding[]): string {
  return findings.map((finding) => line(context, finding)).join('\n');
}

/** Sets exit code 1 on failures, or warnings that count as errors. */
export function failWhere(
  { process }: CommandContext,
  findings: readonly Finding[],
  { warningsAsErrors = false }: FailOptions = {},
): void {
  if (findings.some(({ status }) => status === 'fail' || (warningsAsErrors && status === 'warn'))) process.exitCode = 1;
}

export interface FailOptions {
  readonly warningsAsErrors?: boolean;
}

export const WARNINGS_AS_ERRORS = ['--warnings-as-errors', 'exit 1 on warnings too, for monitoring'] as const;

const INDENT = ' '.repeat(6);
/** Yellow is hard to read on light terminals. */
const MARKS = { ok: ['green', 'ok  '], warn: ['magenta', 'warn'], fail: ['red', 'FAIL'] } as const;

function line(context: CommandContext, { check, status, message, advice }: Finding): string {
  const [color, word] = MARKS[status];
  const mark = styleText(color, word, { stream: context.process.stdout });
  const width = columnsOf(context) - INDENT.length;
  const [first = '', ...more] = `${check}: ${withShortTimes(message)}`.split('\n').map(plain);
  const sentences = [...wrap(first, width), ...more.map((text) => `  ${text}`)].join(`\n${INDENT}`);
  const todo = advice === null ? '' : `\n${INDENT}→ ${advice.split('\n').map(plain).join('\n        ')}`;
  return `${mark}  ${sentences}${todo}`;
}
