import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { CommandContext } from '../context.ts';
import { plain } from './printable.ts';

/** The form of `toTimestamp`. */
const TIMESTAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00/g;

const GAP = '  ';
/** The fewest columns for a readable wrapped cell. */
const LEAST_ROOM = 12;

/** Their words have no spaces between them. */
const SCRIPTS_WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

export type Cell = string | number | null;

/** Aligns columns under headings; `empty` without rows. */
export function table(
  context: CommandContext,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): string {
  return rows.length === 0 ? empty : tableOf(context, headings)(rows).join('\n');
}

/**
 * Makes a table in parts. Returns a function that formats the next rows. Its first call adds the headings and sets all
 * widths. Columns beyond the terminal's edge continue below their row with their headings; columns without a heading
 * are left out there.
 */
export function tableOf(context: CommandContext, headings: readonly string[]) {
  const columns = columnsOf(context);
  let widths: readonly number[] | null = null;

  return (rows: readonly (readonly Cell[])[]): readonly string[] => {
    const cells = rows.map((row) => row.map(show));
    const isFirst = widths === null;
    widths ??= headings.map((heading, column) =>
      cells.reduce((width, row) => Math.max(width, stringWidth(row[column] ?? '')), stringWidth(heading)),
    );
    const inLine = columnsThatFit(widths, columns);
    const line = lineOf(widths);
    const fold = inLine === headings.length ? wrapped(widths, columns) : null;
    const lines = cells.flatMap((row) =>
      fold ? fold(row).map(line) : [line(row.slice(0, inLine)), ...below(headings, row, inLine, columns)],
    );
    return isFirst ? [context.heading(line(headings.slice(0, inLine))), ...lines] : lines;
  };
}

/** Returns how many columns fit, with room for wrapping; at least one. */
function columnsThatFit(widths: readonly number[], columns: number): number {
  const last = Math.min(widths.at(-1) ?? 0, LEAST_ROOM);
  if (widthOf([...widths.slice(0, -1), last]) <= columns) return widths.length;
  const tooMany = widths.findIndex((_, column) => widthOf(widths.slice(0, column + 1)) > columns);
  return Math.max(1, tooMany);
}

function lineOf(widths: readonly number[]): (row: readonly string[]) => string {
  return (row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
}

/** Wraps the last cell below itself if it goes beyond the terminal's edge. */
function wrapped(
  widths: readonly number[],
  columns: number,
): (row: readonly string[]) => readonly (readonly string[])[] {
  const room = columns - widthOf([...widths.slice(0, -1), 0]);
  return (row) => {
    const before = row.slice(0, -1);
    return wrap(row.at(-1) ?? '', room).map((text, part) => [...(part === 0 ? before : before.map(() => '')), text]);
  };
}

function below(
  headings: readonly string[],
  row: readonly string[],
  inLine: number,
  columns: number,
): readonly string[] {
  const named = headings.flatMap((heading, column) => {
    const cell = row[column] ?? '';
    const isShown = column >= inLine && heading.trim() !== '' && cell.trim() !== '';
    return isShown ? [`${heading.toLowerCase()}: ${cell}`] : [];
  });
  return named.length === 0 ? [] : wrap(named.join('; '), columns - GAP.length).map((text) => GAP + text);
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

export function fields(context: CommandContext, entries: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(entries).map((name) => stringWidth(name)));
  const room = Math.max(LEAST_ROOM, columnsOf(context) - width - GAP.length);
  const lines = Object.entries(entries).map(([name, value]) => {
    const text = wrap(show(value), room).join(`\n${' '.repeat(width)}${GAP}`);
    return `${context.heading(pad(name, width))}${GAP}${text}`;
  });
  return lines.join('\n');
}

/** Returns the terminal's columns. Files and pipes have no edge: a row per line for `grep`. */
export function columnsOf({ process: { stdout } }: CommandContext): number {
  return stdout.columns || (stdout.isTTY ? 80 : Number.POSITIVE_INFINITY);
}

/**
 * Wraps text at words to at most `columns`. Longer words keep their own line, so ids can be copied. Never pass a
 * command: it must be copied unwrapped.
 */
export function wrap(text: string, columns: number): readonly string[] {
  if (stringWidth(text) <= columns) return [text];
  return wrapAnsi(text, columns, { hard: SCRIPTS_WITHOUT_SPACES.test(text) }).split('\n');
}

/** Formats a cell. Foreign names must not control terminals or break lines. */
export function show(value: Cell): string {
  if (value === null || value === '') return '-';
  return plain(String(value));
}

/** Formats `2026-11-21T09:30:00.123+00:00` as `2026-11-21 09:30:00Z`. */
export function when(timestamp: string | null): Cell {
  return timestamp === null ? null : `${timestamp.slice(0, 19).replace('T', ' ')}Z`;
}

/** Shortens JSON times in a text. */
export function withShortTimes(text: string): string {
  return text.replaceAll(TIMESTAMP, (timestamp) => String(when(timestamp)));
}

/** Formats a count: `1 event`, `12,345 events`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;
}

/** Formats bytes: `980 KiB`, `12.3 MiB`. */
export function size(bytes: number): string {
  const [unit, factor] = (
    [
      ['GiB', 1024 ** 3],
      ['MiB', 1024 ** 2],
    ] as const
  ).find(([, least]) => bytes >= least) ?? ['KiB', 1024];
  return `${(bytes / factor).toFixed(unit === 'KiB' ? 0 : 1)} ${unit}`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
