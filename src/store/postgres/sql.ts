import { memoized, type Sql, valueIn } from '../sql.ts';
import { storable } from './storable.ts';

/** What came back: `rows` as objects, or as arrays where that was asked for. */
export interface Answered {
  /** The statement's first word: what was carried out. */
  readonly command: string;
  readonly rows: readonly unknown[];
  /** Rows that were found or changed. */
  readonly rowCount: number | null;
}
export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rowMode?: 'array';
  /** For how long its answer is waited for at most. */
  readonly longestMs?: number;
}
/** Asks a connection, which answers one statement after the other. */
export type Ask = (query: Asked) => Promise<Answered>;

/** A statement in PostgreSQL's words: `names` of its parameters, that of `$1` first. */
export interface ByPlace {
  readonly text: string;
  readonly names: readonly string[];
}

/** Few enough to hold in memory, many enough to be worth their way from the database. */
const ROWS_IN_A_PART = 100;

/** The database's clock in milliseconds, the same for all nodes. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * The portable SQL of a connection, and whatever else has its parameters by name. Statements have no names of their
 * own, so the database plans each with the values that it is given: one that was planned while the tables were empty
 * would stay, and a pooler between could not know whose it is.
 *
 * `parts` needs a transaction around it.
 */
export function sqlOver(ask: Ask, placed: (text: string) => ByPlace = byPlace): Sql {
  let cursors = 0;

  function buildQuery(text: string, params: unknown): Asked {
    const { text: placedText, names } = placed(text);
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
      // Where the transaction is broken off, the cursor is gone, and another error says so.
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

/** Each text is translated once. */
export const rememberedByPlace = (): ((text: string) => ByPlace) => memoized(byPlace);

/** Leaves texts in quotes alone, and casts (`::text`). */
function byPlace(text: string): ByPlace {
  const names: string[] = [];
  const placed = text.replace(/'[^']*'|::|:(\w+)/g, (found, name?: string) => {
    if (name === undefined) return found;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: placed, names };
}
