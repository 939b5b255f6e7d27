import type { Schema } from '../../api/client.ts';
import { duration } from '../../format/durations.ts';
import { reminders as texts } from '../../texts/channels.ts';

export type Reminders = NonNullable<Schema<'Channel'>['insist']>;
export type Rings = NonNullable<Schema<'Channel'>['rings']>;

export const PROPOSED_RINGS: Rings = { at_most: 10, per: 60 };

/** Returns the form's reminders. Without another channel or a rota, its time is ignored. */
export function remindersOf(form: FormData): Reminders {
  const seconds = (name: string): number => Number(form.get(name));
  const channel = String(form.get('channel') ?? '');
  const rota = String(form.get('rota') ?? '');
  return {
    repeat: seconds('repeat'),
    until: seconds('until'),
    ring_after: seconds('ring_after'),
    ...(rota !== '' && { on_call: { rota, widen_after: seconds('widen_after') } }),
    ...(channel !== '' && { escalate: { channel, after: seconds('after') } }),
  };
}

/** Returns the form's limit of rings; null: none. */
export function ringsOf(form: FormData): Rings | null {
  const times = String(form.get('at_most') ?? '').trim();
  return times === '' ? null : { at_most: Number(times), per: Number(form.get('per')) };
}

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
