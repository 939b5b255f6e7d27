import { OperatorProblem } from '../../process/problem.ts';
import type { EngineName } from '../schema/files.ts';
import type { Awaitable, Sql } from '../sql.ts';
import { EXCEPTIONS, type Exception, NOT_MOVED, RENUMBER } from './exceptions.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Source extends Side {
  readonly sql: Sql;
  /** The highest id that each table ever gave, even to deleted rows. */
  lastIds(): Awaitable<ReadonlyMap<string, number>>;
}

/** The target, in one transaction. */
export interface Target extends Side {
  readonly sql: Sql;
  /** The best order to add a table's rows, behind a SELECT. */
  orderOf(table: string): string;
  adder(table: string, columns: readonly string[]): Awaitable<(rows: readonly Row[]) => Awaitable<void>>;
  /** Prevents reuse of ids, in tables that give them. */
  goOnBehind(lastIds: ReadonlyMap<string, number>): Awaitable<void>;
  execute(sql: string): Awaitable<void>;
  finish(): Awaitable<void>;
}

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/** Called periodically. */
export type OnProgress = (copied: CopiedTable) => void;

/** Round trips count little, and the rows fit in memory. */
const ROWS_TOGETHER = 1_000;

/**
 * Copies everything, and compares row counts. Throws an `OperatorProblem` if they differ, or the columns do not fit.
 */
export async function copyAll(source: Source, target: Target, onProgress: OnProgress): Promise<readonly CopiedTable[]> {
  const copied: CopiedTable[] = [];
  const renumber = source.engine === 'postgres' && target.engine === 'sqlite' ? RENUMBER : null;
  if (renumber !== null) {
    await target.execute(renumber.table);
    await copyTable(source, target, renumber.reading, onProgress);
  }
  for (const reading of planReadings(source, target)) copied.push(await copyTable(source, target, reading, onProgress));
  if (renumber !== null) await target.execute(renumber.after);
  await target.goOnBehind(await source.lastIds());
  await target.finish();
  return copied;
}

async function copyTable(
  source: Source,
  target: Target,
  reading: Reading,
  onProgress: OnProgress,
): Promise<CopiedTable> {
  const { table, columns, select } = reading;
  // The baseline's own rows come along, or an operator deleted them.
  await target.sql.run<object>(`DELETE FROM ${quoted(table)}`)({});
  const add = await target.adder(table, columns);
  let rows = 0;
  for await (const part of inGroups(source.sql.parts<object, Row>(`${select} ${target.orderOf(table)}`)({}))) {
    await add(part);
    rows += part.length;
    onProgress({ table, rows });
  }
  await compare(source, target, reading, rows);
  return { table, rows };
}

async function compare(source: Source, target: Target, { table, select }: Reading, rows: number): Promise<void> {
  const count = async ({ sql }: Source | Target, from: string) =>
    sql.value<object, number>(`SELECT count(*) FROM ${from}`)({});
  const there = await count(source, `(${select}) AS asked`);
  const here = await count(target, quoted(table));
  if (there === rows && here === rows) return;
  throw new OperatorProblem(
    `${source.place} has ${there} rows in the table ${table}, but ${target.place} got ${here}. Nothing was moved.`,
    1,
    { advice: 'Make sure that no other program writes to either of them, and try again.' },
  );
}

async function* inGroups(
  parts: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let waiting: Row[] = [];
  for await (const part of parts) {
    waiting.push(...part);
    if (waiting.length < ROWS_TOGETHER) continue;
    yield waiting;
    waiting = [];
  }
  if (waiting.length > 0) yield waiting;
}

/** A stored column, not a computed one. `isRequired`: NOT NULL without a default. */
export interface Column {
  readonly name: string;
  /** In the engine's words. */
  readonly type: string;
  readonly isRequired: boolean;
}

/** The database's tables and columns, in the order of creation. */
export type Tables = ReadonlyMap<string, readonly Column[]>;

export interface Side {
  readonly engine: EngineName;
  /** In words. */
  readonly place: string;
  readonly tables: Tables;
}

/** The source's query that fills a target table. */
interface Reading {
  readonly table: string;
  readonly columns: readonly string[];
  readonly select: string;
}

/**
 * Plans to fill the target's tables. Equal column names mean the same, except in `EXCEPTIONS`. Throws `OperatorProblem`
 * if data would be lost, or required columns are missing.
 */
export function planReadings(source: Side, target: Side): readonly Reading[] {
  const known = source.engine === target.engine ? {} : EXCEPTIONS[target.engine];
  refuseUnknown(source, target);
  return movedTables(target.tables).flatMap((table) => readingOf(table, known[table], source, target) ?? []);
}

export function movedTables(tables: Tables): readonly string[] {
  return [...tables.keys()].filter((table) => !NOT_MOVED.has(table));
}

function readingOf(
  table: string,
  { from = table, where = '', columns: computed }: Exception = { columns: {} },
  source: Side,
  target: Side,
): Reading | null {
  const there = source.tables.get(from);
  if (there === undefined) return null;
  const names = new Set(there.map(({ name }) => name));
  const wanted = (target.tables.get(table) ?? []).filter(({ name }) => name in computed || names.has(name));
  const missing = (target.tables.get(table) ?? []).find((column) => column.isRequired && !wanted.includes(column));
  if (missing !== undefined) throw notMovable(source, target, `it lacks the column ${missing.name} of ${table}`);
  const columns = wanted.map(({ name }) => name);
  const parts = columns.map((name) => `${computed[name] ?? quoted(name)} AS ${quoted(name)}`);
  return { table, columns, select: `SELECT ${parts.join(', ')} FROM ${quoted(from)} ${where}` };
}

/** Compares with the target's columns, and with the source engine's own. */
function refuseUnknown(source: Side, target: Side): void {
  for (const table of movedTables(source.tables)) {
    const taken = takenFrom(table, source, target);
    if (taken === null) throw notMovable(source, target, `nothing takes its table ${table}`);
    const unknown = source.tables.get(table)?.find(({ name }) => !taken.has(name));
    if (unknown !== undefined) throw notMovable(source, target, `nothing takes the column ${unknown.name} of ${table}`);
  }
}

/** Returns the source columns that the target takes or does not need. Null: no table takes it. */
function takenFrom(table: string, source: Side, target: Side): ReadonlySet<string> | null {
  if (source.engine === target.engine) return namesIn(target.tables, table);
  // Exceptions come in pairs, one for each direction.
  const filled = Object.entries(EXCEPTIONS[target.engine]).filter(([, { from }]) => from === table);
  const back = EXCEPTIONS[source.engine][table];
  const takers = [table, back?.from, ...filled.map(([name]) => name)];
  const names = takers.flatMap((name) => [...(namesIn(target.tables, name ?? '') ?? [])]);
  return names.length === 0 ? null : new Set([...names, ...Object.keys(back?.columns ?? {})]);
}

function namesIn(tables: Tables, table: string): ReadonlySet<string> | null {
  const columns = tables.get(table);
  return columns === undefined ? null : new Set(columns.map(({ name }) => name));
}

function notMovable(source: Side, target: Side, why: string): OperatorProblem {
  return new OperatorProblem(`${source.place} cannot be moved to ${target.place}: ${why}.`, 1, {
    advice: 'Move it with the build of pushctl that created it, or start over with an empty store.',
  });
}

export function quoted(name: string): string {
  return `"${name}"`;
}
