/** How often each side of a comparison is measured. */
export const SLICES = 9;

type Sides = Readonly<Record<string, () => Promise<unknown>>>;
type Measured<S extends Sides> = { readonly [Name in keyof S]: Awaited<ReturnType<S[Name]>>[] };

/**
 * Measures all sides in turns, so that whatever else the machine does meets all of them alike. Every other round goes
 * backwards: no side is always the first. One round before them warms up and does not count.
 */
export async function alternate<S extends Sides>(sides: S, slices: number = SLICES): Promise<Measured<S>> {
  const names: readonly (keyof S)[] = Object.keys(sides);
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<keyof S, unknown[]>;
  for (let slice = -1; slice < slices; slice += 1) {
    for (const name of slice % 2 === 0 ? names : names.toReversed()) {
      const value = await sides[name]?.();
      if (slice >= 0) measured[name].push(value);
    }
  }
  return measured as Measured<S>;
}
