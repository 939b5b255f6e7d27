import { memoized, type Sql, valueIn, withGiven } from '../sql.ts';

/** A statement's answer: `rows` as objects, or arrays by `rowMode`. */
export interface Answered {
  /** The executed statement's first word. */
  readonly command: string;
  readonly rows: readonly unknown[];
  /** Rows found or changed. */
  readonly rowCount: number | null;
}
interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rowMode?: 'array';
  /** Longest wait, ms. */
  readonly longestMs?: number;
}
/** Sends a statement to a connection: one at a time. */
export type Ask = (query: Asked) => Promise<Answered>;

/** A statement with PostgreSQL's placeholders. `names`: its parameters, `$1` first. */
interface ByPlace {
  readonly text: string;
  readonly names: readonly string[];
}

/** Few enough for memory, and enough for a round trip. */
const ROWS_IN_A_PART = 100;

/** The database's clock in ms, shared by all nodes. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** The queue's time in ms: that clock without its jumps (functions/nodes.sql). */
export const QUEUE_MS = `queue_time(${NOW_MS})`;

/**
 * Runs portable SQL, and any other with named parameters, over a connection. Statements are not prepared by name: a
 * plan made while tables were empty would stay, and a pooler could not tell whose statement it is.
 *
 * `parts` requires a transaction.
 */
export function sqlOver(ask: Ask, placed: (text: string) => ByPlace = byPlace): Sql {
  let cursors = 0;

  function buildQuery(text: string, params: unknown): Asked {
    const { text: placedText, names } = placed(withGiven(text)(params));
    return { text: placedText, values: names.map((name) => storable(valueIn(params, name))) };
  }

  const rowsOf = (text: string) => async (params: unknown) => (await ask(buildQuery(text, params))).rows as never;
  const values = (text: string) => async (params: unknown) => {
    const { rows } = await ask({ ...buildQuery(text, params), rowMode: 'array' });
    return (rows as readonly (readonly unknown[])[]).map(([value]) => value) as never;
  };
  const first = (find: (text: string) => (params: unknown) => Promise<readonly unknown[]>) => (text: string) => {
    const found = find(text);
    return async (params: unknown) => (await found(params))[0] as never;
  };

  async function* inParts({ text, values: given }: Asked): AsyncGenerator<readonly never[]> {
    cursors += 1;
    const cursor = `part_${cursors}`;
    await ask({ text: `DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values: given });
    try {
      for (;;) {
        const { rows } = await ask({ text: `FETCH ${ROWS_IN_A_PART} FROM ${cursor}`, values: [] });
        if (rows.length > 0) yield rows as readonly never[];
        if (rows.length < ROWS_IN_A_PART) return;
      }
    } finally {
      // After a failed transaction the cursor is gone: the first error is reported.
      await ask({ text: `CLOSE ${cursor}`, values: [] }).catch(() => {});
    }
  }

  return {
    get: first(rowsOf),
    all: rowsOf,
    parts: (text) => (params) => inParts(buildQuery(text, params)),
    value: first(values),
    values,
    run: (text) => async (params) => (await ask(buildQuery(text, params))).rowCount ?? 0,
    insert: (text) => first(values)(`${text} RETURNING id`),
  };
}

/** Translates texts once. */
export const rememberedByPlace = (): ((text: string) => ByPlace) => memoized(byPlace);

/** Replaces named parameters by `$1`, `$2`, …, outside of quotes and casts (`::text`). */
function byPlace(text: string): ByPlace {
  const names: string[] = [];
  const placed = text.replace(/'[^']*'|::|:(\w+)/g, (found, name?: string) => {
    if (name === undefined) return found;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: placed, names };
}

/**
 * Replaces what PostgreSQL cannot store (U+0000, lone surrogates) by U+FFFD, as decoders do; no device shows them.
 * Converts lists too; others stay.
 */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
