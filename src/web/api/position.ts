/** The earliest of `1b3f9c-17` and the like; null: there is none, or they are of different servers. */
export function firstOf(positions: Iterable<string>): string | null {
  const parts = [...positions].map((position) => position.split('-'));
  const numbers = parts.map(([, number]) => Number(number));
  const [run, ...others] = new Set(parts.map(([server]) => server));
  return run === undefined || others.length > 0 ? null : `${run}-${Math.min(...numbers)}`;
}
