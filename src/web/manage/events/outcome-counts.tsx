import { countsOf, type Outcome } from './counts.ts';

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
