import { whole } from '../../format/numbers.ts';
import { noDevice, outcomes } from '../../texts/outcomes.ts';

/** How they are told: what is good first, then what asks for something. */
export const OUTCOMES = ['accepted', 'pending', 'failed', 'unregistered', 'expired', 'withdrawn'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** `6 accepted`, `2 failed`: of what there is at all. */
export function countsOf(
  counts: Readonly<Record<Outcome, number>>,
): readonly { readonly outcome: Outcome | null; readonly text: string }[] {
  const some = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  if (some.length === 0) return [{ outcome: null, text: noDevice }];
  return some.map((outcome) => ({ outcome, text: `${whole(counts[outcome])} ${outcomes[outcome]}` }));
}
