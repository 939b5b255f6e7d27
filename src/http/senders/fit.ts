import type { EventDefaults } from '../../contract/posted-event.ts';
import { keyWithin } from '../../contract/senders/texts.ts';
import type { PostedEvent } from '../../push.ts';
import type { JsonObject } from '../../values/json.ts';
import type { Acceptance } from '../acceptance.ts';
import { ApiError, FieldsError } from '../errors.ts';

/** An event with the key's defaults, then the format's. */
interface Unfitted {
  readonly given: JsonObject;
  readonly fallback: EventDefaults | undefined;
  readonly by: { readonly defaults: EventDefaults | null };
  /** An empty text: none. */
  readonly idempotencyKey: string;
}

/** Drops invalid fields. `wrong`: their names. */
export function fit(
  acceptance: Pick<Acceptance, 'parse'>,
  { given, fallback, by, idempotencyKey }: Unfitted,
): { readonly event: PostedEvent; readonly wrong: readonly string[] } {
  const fitted = { ...given, ...(idempotencyKey !== '' && { idempotency_key: keyWithin(idempotencyKey) }) };
  const defaults = { ...fallback, ...by.defaults };
  const parse = (fields: JsonObject) => acceptance.parse({ defaults }, fields);
  const parsed = parse(fitted);
  if (parsed.valid) return { event: marked(parsed.event), wrong: [] };
  const wrong = Object.keys(parsed.problem.errors);
  if (wrong.includes('channel')) throw new ApiError('channel_not_found');
  const again = parse(Object.fromEntries(Object.entries(fitted).filter(([name]) => !wrong.includes(name))));
  if (!again.valid) throw new FieldsError(again.problem);
  return { event: marked(again.event), wrong };
}

/** Only for formats: the API shows a lone title twice, as specified. */
function marked(event: PostedEvent): PostedEvent {
  return event.description === null ? { ...event, oneText: 1 } : event;
}
