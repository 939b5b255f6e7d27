import { texts } from '../../texts/reminders.ts';
import { duration } from '../durations.ts';
import type { Reminders } from './reminder-terms.ts';

/** Describes a channel's reminders in sentences. `nameOf`: the name of the escalation channel. */
export function reminderWords(
  { repeat, until, ring_after, escalate }: Reminders,
  nameOf: (slug: string) => string,
): string {
  const first = ring_after === 0 ? '' : ` ${texts.ringsAfter(duration(ring_after))}`;
  const reminds = `${texts.reminds(duration(repeat), duration(until))}${first}`;
  return escalate === undefined
    ? reminds
    : `${reminds} ${texts.escalates(duration(escalate.after), nameOf(escalate.channel))}`;
}
