import { nowMs, tick } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';

const TICK_MS = 30_000;

setInterval(() => {
  if (!document.hidden) tick();
}, TICK_MS);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) tick();
});

interface Props {
  readonly at: string;
  /** Adds the day, if no heading has it. */
  readonly dated?: boolean;
}

export function Moment(props: Props) {
  return <MomentAt {...props} now={useShared(nowMs)} />;
}

/** Shows a moment relative to `now`, for parts that redraw with it. */
export function MomentAt({ at, dated = false, now }: Props & { readonly now: number }) {
  return <Time at={at} text={times[dated ? 'dated' : 'short'](msOf(at), now)} />;
}

/** Shows a time as this text, and exactly to a pointer. */
export function Time({ at, text }: { readonly at: string; readonly text: string }) {
  return (
    <time dateTime={at} title={times.exact(msOf(at))}>
      {text}
    </time>
  );
}
