/** The most rows of a run, a few screens. */
const MOST = 50;

/**
 * Splits rows, newest first, into runs that the browser moves whole. `oldest`: ids that end runs, kept for the next
 * call so that new rows change only one run.
 */
export function runsOf<R>(
  rows: readonly R[],
  idOf: (row: R) => string,
  oldest: Set<string>,
): readonly (readonly R[])[] {
  const runs: R[][] = [];
  for (const row of [...rows].reverse()) {
    const run = runs.at(-1);
    if (run && run.length < MOST && !oldest.has(idOf(row))) {
      run.push(row);
    } else {
      oldest.add(idOf(row));
      runs.push([row]);
    }
  }
  return runs.reverse().map((run) => run.reverse());
}
