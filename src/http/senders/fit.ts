import type { PostedEventParser } from '../../contract/posted-event.ts';
import type { JsonObject } from '../../contract/senders/bodies.ts';
import { keyWithin } from '../../contract/senders/texts.ts';
import type { PostedEvent } from '../../push.ts';
import { ApiError, FieldsError } from '../errors.ts';

/** The event without fields that are not valid. `wrong`: the names of these. */
export function fit(
  parse: PostedEventParser,
  given: JsonObject,
  idempotencyKey: string,
): { readonly event: PostedEvent; readonly wrong: readonly string[] } {
  const fitted = { ...given, ...(idempotencyKey !== '' && { idempotency_key: keyWithin(idempotencyKey) }) };
  const parsed = parse(fitted);
  if (parsed.valid) return { event: parsed.event, wrong: [] };
  const wrong = Object.keys(parsed.problem.errors);
  if (wrong.includes('channel')) throw new ApiError('channel_not_found');
  const again = parse(Object.fromEntries(Object.entries(fitted).filter(([name]) => !wrong.includes(name))));
  if (!again.valid) throw new FieldsError(again.problem);
  return { event: again.event, wrong };
}
