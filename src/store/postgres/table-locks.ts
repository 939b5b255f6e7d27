import type { SqlFile } from '../schema/files.ts';
import type { Connection } from './connections.ts';

/**
 * Tables in the order in which most transactions of accepting, claiming and settling lock them first. A migration that
 * locks in this order waits before it holds what they need next.
 */
const HOT_ORDER: readonly string[] = [
  'node',
  'queue_floor',
  'api_key',
  'workspace',
  'plan',
  'cleanup_job',
  'channel',
  'device',
  'subscription',
  'audience',
  'idempotency_key',
  'event',
  'fan_out',
  'delivery',
  'alert',
  'usage_of_node',
  'tally',
  'queue_change',
  'change',
];

/** Excludes code that is only stored: it locks nothing yet. */
const STORED_CODE = /CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE)\b[\s\S]*?\$\$[\s\S]*?\$\$[^;]*;/g;
const COMMENT = /--.*$/gm;

/** Tables and views with one of these names, or with such an index. */
const NAMED = `
  SELECT DISTINCT relation.relname FROM pg_class AS named
  LEFT JOIN pg_index ON indexrelid = named.oid
  JOIN pg_class AS relation ON relation.oid = coalesce(indrelid, named.oid)
  WHERE named.relnamespace = current_schema()::text::regnamespace AND named.relname = ANY ($1) AND relation.relkind IN ('r', 'v')`;

/**
 * Locks each table that these files name, before any of them is executed. Otherwise a file would lock one table after
 * another while it holds those before, and deadlock with requests that hold them the other way round.
 */
export async function lockTablesOf(
  files: readonly Pick<SqlFile, 'sql'>[],
  { ask, execute }: Connection,
): Promise<void> {
  const words = new Set(files.flatMap(({ sql }) => wordsOf(sql)));
  const { rows } = await ask({ text: NAMED, values: [[...words]] });
  const tables = (rows as readonly { readonly relname: string }[]).map(({ relname }) => relname).sort(inHotOrder);
  if (tables.length > 0) await execute(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

function wordsOf(sql: string): readonly string[] {
  return sql.replace(COMMENT, '').replace(STORED_CODE, '').match(/\w+/g) ?? [];
}

/** Tables outside of the order come last, by name. */
function inHotOrder(a: string, b: string): number {
  return placeOf(a) - placeOf(b) || (a < b ? -1 : 1);
}

function placeOf(table: string): number {
  const place = HOT_ORDER.indexOf(table);
  return place === -1 ? HOT_ORDER.length : place;
}
