/** A sample described by its quartiles. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { low: quantile(values, 0.25), median: quantile(values, 0.5), high: quantile(values, 0.75) };
}

/**
 * The value below which `share` of the sample lies. Between two values it is on the line that joins them (the method of
 * R and NumPy). Throws for an empty sample.
 */
export function quantile(values: ArrayLike<number>, share: number): number {
  if (values.length === 0) throw new Error('there is no quantile of nothing');
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** One ratio for each slice: both sides of it were measured a moment apart. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  if (above.length !== below.length) throw new Error(`${above.length} slices against ${below.length}`);
  return above.map((value, index) => value / (below[index] ?? Number.NaN));
}
