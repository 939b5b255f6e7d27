/** One field of each thing; of several fields their values in one text. */
export function valuesOf<T, K extends keyof T>(things: readonly T[], name: K): T[K][];
export function valuesOf<T, K extends keyof T>(things: readonly T[], ...names: readonly K[]): string[];
export function valuesOf<T, K extends keyof T>(things: readonly T[], ...names: readonly K[]): unknown[] {
  const [only] = names;
  if (only !== undefined && names.length === 1) return things.map((thing) => thing[only]);
  return things.map((thing) => names.map((name) => thing[name]).join(' '));
}
