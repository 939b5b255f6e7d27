import { whole } from '../../format/numbers.ts';
import { noDevice, outcomes, reported } from '../../texts/inbox.ts';

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

/** Counts devices reporting the push: only alerts and test pushes. */
export function ReportedCounts({ counts: { shown, opened } }: { readonly counts: Reported }) {
  if (shown === null) return null;
  return (
    <>
      <span class="num">{reported.shown(shown)}</span>
      <span class="num">{reported.opened(opened ?? 0)}</span>
    </>
  );
}

interface Reported {
  readonly shown: number | null;
  readonly opened: number | null;
}

/** Returns a state's word; unknown states stand for themselves. */
export function outcomeWord(state: string): string {
  return (outcomes as Readonly<Record<string, string>>)[state] ?? state;
}

/** Outcomes in order: the good, then the urgent. */
const OUTCOMES = ['accepted', 'pending', 'failed', 'unregistered', 'expired', 'withdrawn'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Returns occurred outcomes: `6 accepted`, `2 failed`. */
function countsOf(
  counts: Readonly<Record<Outcome, number>>,
): readonly { readonly outcome: Outcome | null; readonly text: string }[] {
  const some = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  if (some.length === 0) return [{ outcome: null, text: noDevice }];
  return some.map((outcome) => ({ outcome, text: `${whole(counts[outcome])} ${outcomes[outcome]}` }));
}
