import { OperatorProblem } from '../../process/problem.ts';
import type { Awaitable, Sql } from '../sql.ts';
import { RENUMBER } from './exceptions.ts';
import { planReadings, quoted, type Reading, type Side } from './reading.ts';

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
