import type { UnknownField } from '../contract/given-fields.ts';
import type { ParsedEvent } from '../contract/posted-event.ts';
import { type EventRecord, unreachable } from '../push.ts';
import { type Acceptance, type Accepted, ALERT_UNCHANGED, type Checked, type Poster } from './acceptance.ts';
import { readJson } from './body/read-json.ts';
import { FieldsError } from './errors.ts';
import { type BareContext, headerText, type ResponseTo } from './request-state.ts';

type Taken = ResponseTo<'postEvent' | 'sendEvent'>;

/** Takes the event in a body, checking in the contract's order. */
export async function takeEvent(acceptance: Acceptance, context: BareContext, poster: Poster): Promise<Taken> {
  const body = await readJson(context);
  const { event, unknown } = valid(acceptance.parse(poster, body, headerText(context.req, 'idempotency-key')));
  if (unknown === null) return answerTo(await acceptance.accept(poster, event), context);
  return answerTo(await acceptance.check(poster, event), context, unknown);
}

function valid(parsed: ParsedEvent): ParsedEvent & { readonly valid: true } {
  if (!parsed.valid) throw new FieldsError(parsed.problem);
  return parsed;
}

function answerTo(outcome: Accepted | Checked, { state }: BareContext, unknown: readonly UnknownField[] = []): Taken {
  switch (outcome.kind) {
    case 'accepted': {
      const event = eventBody(outcome.event);
      const headers = { Location: `/api/v1/events/${event.public_id}`, ...(outcome.leavesAlert && ALERT_UNCHANGED) };
      return { status: 202, body: { event }, headers };
    }
    case 'valid':
      return {
        status: 200,
        body: { valid: true, target_device_count: outcome.targeted, unknown_fields: unknown },
      };
    case 'replayed':
      state.replay = outcome.isSame ? 'same' : 'different';
      return { status: 200, body: { event: eventBody(outcome.event) }, headers: REPLAYED[state.replay] };
    default:
      return unreachable(outcome);
  }
}

const REPLAYED = {
  same: { 'Idempotent-Replayed': 'true' },
  different: { 'Idempotent-Replayed': 'true', 'Idempotent-Body': 'different' },
} as const;

/** Returns the seven specified fields in fixed order, so that replays are byte-identical. */
export function eventBody(event: EventRecord): EventRecord {
  return {
    public_id: event.public_id,
    event_uuid: event.event_uuid,
    status: event.status,
    level: event.level,
    event_type: event.event_type,
    target_device_count: event.target_device_count,
    received_at: event.received_at,
  };
}
