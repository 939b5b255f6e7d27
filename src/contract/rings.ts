import type { ApiSchema } from './api-types.ts';
import { type FieldProblem, fieldProblem } from './details.ts';

/** A channel rings at most `at_most` times in `per` seconds. */
export type Rings = NonNullable<ApiSchema<'Channel'>['rings']>;

const RANGES = { at_most: [1, 1_000], per: [10, 3_600] } as const;

export const PROPOSED_RINGS: Rings = { at_most: 10, per: 60 };

export function ringsProblem(rings: Rings): FieldProblem | null {
  for (const name of ['at_most', 'per'] as const) {
    const [least, most] = RANGES[name];
    if (Number.isSafeInteger(rings[name]) && rings[name] >= least && rings[name] <= most) continue;
    return fieldProblem(`rings.${name}`, 'whole_number', { least, most });
  }
  return null;
}

export function ringsInWords({ at_most: times, per }: Rings): string {
  return `at most ${times === 1 ? 'once' : `${times} times`} in ${per} s`;
}
