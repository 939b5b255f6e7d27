/** Ids that one statement takes at once. */
export const MOST_IDS = 100;

const NAMES = Array.from({ length: MOST_IDS }, (_, nth) => `id${nth}`);

/** SQL: a list of up to `MOST_IDS` parameters, in words of every engine. */
export const ID_LIST = `(${NAMES.map((name) => `:${name}`).join(', ')})`;

/** The parameters of `ID_LIST`. What is left is NULL, which is in no list. */
export function idList(ids: readonly (number | Uint8Array)[]): Readonly<Record<string, number | Uint8Array | null>> {
  if (ids.length > MOST_IDS) throw new RangeError(`${ids.length} ids for a list of ${MOST_IDS}`);
  return Object.fromEntries(NAMES.map((name, nth) => [name, ids[nth] ?? null]));
}
