import { styleText } from 'node:util';
import type { LogLine } from '../host/logs.ts';
import { isJsonObject } from '../values/json.ts';
import { toTimestamp } from '../values/timestamp.ts';
import { plain } from './output/printable.ts';

/** pino's numbers of the levels. See https://getpino.io/#/docs/api?id=levels. */
export const LOG_LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
export type LevelName = keyof typeof LOG_LEVELS;

export interface LogEntry {
  /** The line's time; null: none. */
  readonly atMs: number | null;
  readonly level: number;
  /** Has `level`, `time`, mostly `msg`, and more. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Reads a line. Text other than JSON is a failing process's stderr (level error), unless another program wrote it. */
export function entryOf({ text, about }: LogLine): LogEntry {
  const document = documentIn(text);
  if (document !== null) {
    const writtenAtMs = Date.parse(String(document.time));
    return { atMs: Number.isNaN(writtenAtMs) ? (about?.atMs ?? null) : writtenAtMs, level: document.level, document };
  }
  const { atMs = null, by = null } = about ?? {};
  const level = about === null || by === null ? LOG_LEVELS.error : about.level;
  const time = atMs === null ? {} : { time: toTimestamp(atMs) };
  return { atMs, level, document: { level, ...time, ...(by !== null && { by }), msg: text } };
}

function documentIn(text: string): (Record<string, unknown> & { level: number }) | null {
  if (!text.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value.level === 'number' ? { ...value, level: value.level } : null;
  } catch {
    return null;
  }
}

/** Longer values are cut, except in `--json`. */
const LONGEST_VALUE = 200;
const NO_TIME = ' '.repeat('2026-11-21 09:30:00.123Z'.length);

/** Returns one line: `2026-11-21 09:30:00.123Z warn route paused, its pushes wait route=fcm reason=Shutdown`. */
export function entryLine({ atMs, level, document }: LogEntry, stream: NodeJS.WritableStream): string {
  const { level: _, time: _time, ...rest } = document;
  const time = atMs === null ? NO_TIME : `${toTimestamp(atMs).slice(0, 23).replace('T', ' ')}Z`;
  const parts = [time, mark(level, stream), ...words(rest)];
  return parts.filter((part) => part !== '').join('  ');
}

function mark(level: number, stream: NodeJS.WritableStream): string {
  if (level >= LOG_LEVELS.error) return styleText('red', 'error', { stream });
  if (level >= LOG_LEVELS.warn) return styleText('yellow', 'warn ', { stream });
  return level >= LOG_LEVELS.info ? 'info ' : 'debug';
}

function words(fields: Readonly<Record<string, unknown>>): readonly string[] {
  if ('method' in fields && 'status' in fields) {
    const { method, route, status, durationMs, ...rest } = fields;
    const request = [method, route].filter((word) => typeof word === 'string').join(' ') || 'request';
    return [plain(`${request}  ${status}${durationMs === undefined ? '' : ` in ${durationMs} ms`}`), pairs(rest)];
  }
  const { msg, by, ...rest } = fields;
  const text = [by, msg].filter((word) => typeof word === 'string').join(': ');
  return [plain(text), pairs(rest)];
}

function pairs(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${plain(name)}=${shown(value)}`)
    .join(' ');
}

/** Formats a value: errors without stack, texts with blanks quoted. */
function shown(value: unknown): string {
  const text = textOf(value);
  const short = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
  return plain(/[\s"]/.test(short) ? JSON.stringify(short) : short);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (!isJsonObject(value)) return String(value);
  const { type, name, message, code } = value;
  const kind = [type ?? name, message ?? code].filter((word) => typeof word === 'string');
  return kind.length > 0 ? kind.join(': ') : JSON.stringify(value);
}
