import { ratios, type Spread, spreadOf } from './statistics.ts';

export type Unit = '×' | 'µs' | 'ms' | 's' | 'MB' | '/s';

/** A line of the table. */
export interface Line {
  readonly what: string;
  readonly against?: string;
  readonly unit: Unit;
  /** Without: no limit, for information. */
  readonly want?: { readonly atLeast: number } | { readonly atMost: number };
  /** One value a slice. */
  readonly values: readonly number[];
  /** Both sides of a ratio. */
  readonly sides?: { readonly measure: string; readonly ours: readonly number[]; readonly theirs: readonly number[] };
  /** The raw values by slice, and other figures that help to judge them. */
  readonly raw?: Readonly<Record<string, readonly number[]>>;
}

/** A line that could not be measured here, and why. */
export interface Skipped {
  readonly what: string;
  readonly because: string;
  /** The benchmark or the server failed, which is worse than a missing compiler. */
  readonly isFault?: boolean;
}

type More = Pick<Line, 'want' | 'raw'>;
type Of = More & Pick<Line, 'against'>;

export function line(what: string, unit: Unit, values: readonly number[], more: Of = {}): Line {
  return { what, unit, values, ...more };
}

/** The ratio of two sides, one of which has a name. `measure`: what both were measured in. */
export function ratio(
  what: string,
  measure: string,
  ours: readonly number[],
  [against, theirs]: readonly [string, readonly number[]],
  { want, raw }: More = {},
): Line {
  const bySlice = { [measure]: ours, [`${against}, ${measure}`]: theirs };
  return {
    ...{ what, against, unit: '×', values: ratios(ours, theirs), sides: { measure, ours, theirs } },
    raw: { ...bySlice, ...raw },
    ...(want && { want }),
  };
}

export function isReached({ want, values }: Line): boolean {
  if (want === undefined) return true;
  const { median } = spreadOf(values);
  return 'atLeast' in want ? median >= want.atLeast : median <= want.atMost;
}

/** The table in Markdown, as it stands in docs/benchmarks.md. */
export function tableOf(lines: readonly (Line | Skipped)[]): string {
  return [
    '| what | against | wanted | reached (quartiles) | |',
    '|---|---|---|---|---|',
    ...lines.map((line) =>
      'because' in line ? `| ${line.what} | | | not measured: ${line.because} | |` : rowOf(line),
    ),
  ].join('\n');
}

function rowOf(line: Line): string {
  const { what, against = '', unit, want } = line;
  const { low, median, high }: Spread = spreadOf(line.values);
  const reached = `${rounded(median)} (${rounded(low)}–${rounded(high)})`;
  const absolute = absoluteOf(line);
  if (want === undefined) return `| ${what} | ${against} | | ${reached} ${unit}${absolute} | |`;
  const wanted = 'atLeast' in want ? `≥ ${want.atLeast}` : `≤ ${want.atMost}`;
  return `| ${what} | ${against} | ${wanted} ${unit} | ${reached}${absolute} | ${isReached(line) ? 'yes' : 'NO'} |`;
}

/** The medians of both sides of a ratio. */
function absoluteOf({ sides }: Line): string {
  if (sides === undefined) return '';
  const [ours, theirs] = [sides.ours, sides.theirs].map((values) => rounded(spreadOf(values).median));
  return `: ${ours} and ${theirs} ${sides.measure}`;
}

/** The slices behind a line, one list a line of text. */
export function rawOf(line: Line): string {
  const lists = Object.entries({ ...line.raw, [line.unit]: line.values });
  return [line.what, ...lists.map(([name, values]) => `  ${name}: ${values.map(rounded).join(' ')}`)].join('\n');
}

/** Three digits that count. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
