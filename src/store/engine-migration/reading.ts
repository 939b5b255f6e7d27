import { OperatorProblem } from '../../process/problem.ts';
import type { EngineName } from '../schema/files.ts';
import { EXCEPTIONS, type Exception, NOT_MOVED } from './exceptions.ts';

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
export interface Reading {
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
