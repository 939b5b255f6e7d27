import type { LogLine } from '../../host/logs/lines.ts';
import { isJsonObject } from '../../values/json.ts';
import { toTimestamp } from '../../values/timestamp.ts';

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
