/** As many as fill a few screens. */
const MOST = 50;

/**
 * Rows, newest first, in runs of at most so many, which the browser moves without looking into them.
 * `oldest`: the ids of the rows that runs end with. They are kept there for the next time, so that what comes changes one
 * run and leaves the others as they are.
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
