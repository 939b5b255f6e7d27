import { duration } from '../../format/durations.ts';
import { reminders as texts } from '../../texts/channels.ts';
import type { Reminders } from './reminder-terms.ts';

/** Describes a channel's reminders in sentences. `nameOf`: the name of the escalation channel. */
export function reminderWords(
  { repeat, until, ring_after, escalate, on_call }: Reminders,
  nameOf: (slug: string) => string,
): string {
  const first = ring_after === 0 ? '' : ` ${texts.ringsAfter(duration(ring_after))}`;
  const reminds = `${texts.reminds(duration(repeat), duration(until))}${first}`;
  const sentences = [
    reminds,
    ...(on_call === undefined ? [] : [texts.ringsFor(on_call.rota, duration(on_call.widen_after))]),
    ...(escalate === undefined ? [] : [texts.escalates(duration(escalate.after), nameOf(escalate.channel))]),
  ];
  return sentences.join(' ');
}
