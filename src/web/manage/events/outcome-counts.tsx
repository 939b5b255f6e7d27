import { whole } from '../../format/numbers.ts';
import { noDevice, outcomes } from '../../texts/outcomes.ts';

/** What became of pushes, by number. What has failed stands out. */
export function OutcomeCounts({ counts }: { readonly counts: Readonly<Record<Outcome, number>> }) {
  return (
    <>
      {countsOf(counts).map(({ outcome, text }) => (
        <span key={text} class={outcome === 'failed' ? 'num urgent' : 'num'}>
          {text}
        </span>
      ))}
    </>
  );
}

/** The word for a state; one that this app does not know stands for itself. */
export function outcomeWord(state: string): string {
  return (outcomes as Readonly<Record<string, string>>)[state] ?? state;
}

/** In this order: what is good first, then what asks for something. */
const OUTCOMES = ['accepted', 'pending', 'failed', 'unregistered', 'expired', 'withdrawn'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** `6 accepted`, `2 failed`: of what there is at all. */
function countsOf(
  counts: Readonly<Record<Outcome, number>>,
): readonly { readonly outcome: Outcome | null; readonly text: string }[] {
  const some = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  if (some.length === 0) return [{ outcome: null, text: noDevice }];
  return some.map((outcome) => ({ outcome, text: `${whole(counts[outcome])} ${outcomes[outcome]}` }));
}
