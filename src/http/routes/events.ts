import type { PostedEventParser } from '../../contract/posted-event.ts';
import { postedEventParser } from '../../contract/posted-event.ts';
import { publicIdOf } from '../../public-id.ts';
import type { EventRecord, PostedEvent } from '../../push.ts';
import { unreachable } from '../../push.ts';
import type { AcceptAnswer } from '../../store/calls.ts';
import type { Answer } from '../answer.ts';
import type { Integrator } from '../auth.ts';
import { type JsonObject, readJson } from '../body.ts';
import { ApiError, FieldsError, fieldError } from '../errors.ts';
import { uuidMaker } from '../event-uuid.ts';
import type { BareContext, Handler } from '../exchange.ts';
import type { Service } from '../service.ts';

/** POST /v1/events. The order of the lines is the order of the checks in the contract. */
export function postEvent(service: Service): Handler<BareContext> {
  const { limits, delivery } = service.config;
  const parse = postedEventParser({ urlSchemes: limits.urlSchemes, ttlMs: delivery.ttlMs });
  const accept = acceptor(service);
  return async (context) => {
    const by = await service.authorize(context, 'events:write');
    service.throttle.burst(context, by.key);
    const event = valid(parse, await readJson(context));
    return answerTo(await accept(by, event), service.clock.wallMs());
  };
}

/** GET /v1/events/{public_id} */
export function getEvent({ authorize, throttle }: Service): Handler {
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const { workspaceId, boundKeyId } = key;
    const found = await store.readEvent({ workspaceId, boundKeyId, publicId: context.params.publicId });
    if (found === null) throw new ApiError('event_not_found');
    return { status: 200, body: { event: recordOf(found.event), deliveries: found.deliveries } };
  };
}

function valid(parse: PostedEventParser, body: JsonObject): PostedEvent {
  const parsed = parse(body);
  if (!parsed.valid) throw new FieldsError(parsed.problem);
  return parsed.event;
}

/** Stores an event. Its links are held before, so that nobody can send it without them, and dropped unless somebody will. */
function acceptor({ clock, links }: Service): (by: Integrator, posted: PostedEvent) => Promise<AcceptAnswer> {
  const newUuid = uuidMaker();
  return async ({ key: { workspaceId, boundKeyId }, store }, { links: ofEvent, ...event }) => {
    const uuid = newUuid(clock.wallMs());
    const hadLinks = ofEvent.url !== undefined || ofEvent.imageUrl !== undefined;
    const args = { ...event, workspaceId, boundKeyId, uuid, hadLinks };
    if (!hadLinks) return store.acceptEvent(args);
    const publicId = publicIdOf(uuid);
    links.hold(publicId, ofEvent);
    let isQueued = false;
    try {
      const answer = await store.acceptEvent(args);
      isQueued = answer.kind === 'accepted' && answer.routes.length > 0;
      return answer;
    } finally {
      if (!isQueued) links.drop(publicId);
    }
  };
}

function answerTo(answer: AcceptAnswer, wallMs: number): Answer {
  switch (answer.kind) {
    case 'accepted':
      return { status: 202, body: { event: recordOf(answer.event) } };
    case 'replayed':
      return { status: 200, body: { event: recordOf(answer.event) }, headers: { 'Idempotent-Replayed': 'true' } };
    case 'unknown_channel':
      throw new ApiError('channel_not_found');
    case 'idempotency_key_taken':
      throw fieldError('idempotency_key', 'The idempotency_key field belongs to an event of another channel.');
    case 'allowance_exhausted':
      throw new ApiError('allowance_exhausted', { retryAfterMs: answer.resetsAtMs - wallMs });
    default:
      return unreachable(answer);
  }
}

/** The seven fields of the specification and no other, always in the same order: a replay is the same byte for byte. */
export function recordOf(event: EventRecord): EventRecord {
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
