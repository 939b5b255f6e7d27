import { texts } from '../../texts/reminders.ts';
import { duration } from '../durations.ts';
import type { Reminders } from './reminder-terms.ts';

/**
 * Says in sentences how a channel reminds of alerts. `nameOf`: returns the name of the channel that alerts reach as
 * well.
 */
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
