import type { Schema } from '../../api/client.ts';

export type Reminders = NonNullable<Schema<'Channel'>['insist']>;
export type Rings = NonNullable<Schema<'Channel'>['rings']>;

export const PROPOSED_RINGS: Rings = { at_most: 10, per: 60 };

/** Returns the form's reminders. Without another channel, its time is ignored. The rota stays as it is. */
export function remindersOf(form: FormData, before: Reminders | null): Reminders {
  const seconds = (name: string): number => Number(form.get(name));
  const channel = String(form.get('channel') ?? '');
  return {
    repeat: seconds('repeat'),
    until: seconds('until'),
    ring_after: seconds('ring_after'),
    ...(before?.on_call && { on_call: before.on_call }),
    ...(channel !== '' && { escalate: { channel, after: seconds('after') } }),
  };
}

/** Returns the form's limit of rings; null: none. */
export function ringsOf(form: FormData): Rings | null {
  const times = String(form.get('at_most') ?? '').trim();
  return times === '' ? null : { at_most: Number(times), per: Number(form.get('per')) };
}
