/** Returns the earliest position (`1b3f9c-17`); null: none, or of different servers. */
export function firstOf(positions: Iterable<string>): string | null {
  const parts = [...positions].map((position) => position.split('-'));
  const numbers = parts.map(([, number]) => Number(number));
  const [run, ...others] = new Set(parts.map(([server]) => server));
  return run === undefined || others.length > 0 ? null : `${run}-${Math.min(...numbers)}`;
}
