import type { Schema } from '../../api/client.ts';

export type Reminders = NonNullable<Schema<'Channel'>['insist']>;

/** Returns the reminders that the form describes. Without another channel, its time means nothing. */
export function remindersOf(form: FormData): Reminders {
  const seconds = (name: string): number => Number(form.get(name));
  const channel = String(form.get('channel') ?? '');
  return {
    repeat: seconds('repeat'),
    until: seconds('until'),
    ...(channel !== '' && { escalate: { channel, after: seconds('after') } }),
  };
}
