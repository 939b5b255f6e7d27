import { isForGood, type Mute, muteAt } from '../api/devices.ts';
import { nowMs } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { mutes as texts } from '../texts/devices.ts';

/** Tells what a device misses of a channel and until when, if anything. */
export function Muted({ mute }: { readonly mute: Mute }) {
  const now = useShared(nowMs);
  const words = mutedWords(muteAt(mute, now), now);
  return words === null ? null : <span class="hint muted">{words}</span>;
}

function mutedWords({ min_level, muted_until }: Mute, now: number): string | null {
  const level = min_level === null ? null : texts.levels[min_level];
  if (muted_until === null) return level;
  if (isForGood(muted_until)) return texts.untilFurtherNotice;
  const until = texts.until(times.since(msOf(muted_until), now));
  return level === null ? until : texts.afterwards(until, level);
}
