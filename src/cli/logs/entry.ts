import type { LogLine } from '../../host/logs/lines.ts';
import { isJsonObject } from '../../values/json.ts';
import { toTimestamp } from '../../values/timestamp.ts';

/** pino's numbers of the levels. See https://getpino.io/#/docs/api?id=levels. */
export const LOG_LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
export type LevelName = keyof typeof LOG_LEVELS;

/** A line of the log as the document that it is. */
export interface LogEntry {
  /** Null: it does not say. */
  readonly atMs: number | null;
  readonly level: number;
  /** `level`, `time`, mostly `msg`, and what belongs to it. */
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * Reads a line. Other text is from the process's standard error, where it writes when it fails: its level is error,
 * unless it is another program's.
 */
export function entryOf({ text, about }: LogLine): LogEntry {
  const document = documentIn(text);
  if (document !== null) {
    const saidMs = Date.parse(String(document.time));
    return { atMs: Number.isNaN(saidMs) ? (about?.atMs ?? null) : saidMs, level: document.level, document };
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
