import type { Schema } from '../api/client.ts';
import { msOf, times } from '../format/time.ts';
import { onCall as texts } from '../texts/alerts.ts';

type Status = Pick<Schema<'Rota'>, 'on_call' | 'until' | 'next'>;

/** Says who is on call, until when, and who is next. */
export function statusWords({ on_call: person, until, next }: Status, nowMs: number): string {
  const end = until === null ? null : times.since(msOf(until), nowMs);
  const then = next === null ? '' : ` ${texts.next(next.name)}`;
  if (person === null) return (end === null ? texts.nobody : texts.nobodyUntil(end)) + then;
  return (end === null ? texts.always(person.name) : texts.now(person.name, end)) + then;
}
