import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type ParsedEvent, postedEventParser } from '../contract/posted-event.ts';
import { publicIdOf } from '../contract/public-id.ts';
import type { EventRecord, Links, PostedEvent } from '../push.ts';
import { unreachable } from '../push.ts';
import type { ActingStore } from '../store/acting.ts';
import type { AcceptAnswer, AcceptArgs, CheckAnswer, Reach } from '../store/calls.ts';
import { readJson } from './body/read-json.ts';
import { ApiError, FieldsError, fieldError } from './errors.ts';
import { uuidMaker } from './event-uuid.ts';
import type { BareContext } from './request-state.ts';
import type { HttpResponse } from './response.ts';
import type { Service } from './service.ts';

/** Who posts, and where. */
export interface Poster extends Reach {
  readonly store: Pick<ActingStore, 'acceptEvent' | 'checkEvent'>;
  /** What tells whether a repeated request has the same links; null: nothing does. */
  markOf(links: Links): string | null;
}

/** Carries out the event in a request's body. */
export type PostEvent = (context: BareContext, poster: Poster) => Promise<HttpResponse>;

/** The checks of the contract from the body on, in their order. */
export function eventPosting(service: Service): PostEvent {
  const { limits, delivery } = service.config;
  const parse = postedEventParser({ urlSchemes: limits.urlSchemes, ttlMs: delivery.ttlMs });
  const accept = acceptor(service);
  return async (context, poster) => {
    const { event, validateOnly } = valid(parse(await readJson(context), idempotencyKeyIn(context.req)));
    const asked = askedOf(event, poster);
    const answer = await (validateOnly ? poster.store.checkEvent(asked) : accept(poster.store, asked, event.links));
    return answerTo(answer, context, service.clock.wallMs());
  };
}

function valid(parsed: ParsedEvent): ParsedEvent & { readonly valid: true } {
  if (!parsed.valid) throw new FieldsError(parsed.problem);
  return parsed;
}

/** Node reads header fields as Latin-1, and clients write them as UTF-8. */
function idempotencyKeyIn({ headers }: IncomingMessage): string | undefined {
  const given = headers['idempotency-key'];
  if (typeof given !== 'string') return undefined;
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : given;
}

type Asked = Omit<AcceptArgs, 'uuid'>;

/** The event as the store gets it: without the links, but with a mark of them if a replay may be compared with it. */
function askedOf({ links, ...event }: PostedEvent, { workspaceId, boundKeyId, markOf }: Poster): Asked {
  const hadLinks = links.url !== undefined || links.imageUrl !== undefined;
  const isMarked = hadLinks && event.idempotencyKey !== null;
  return { ...event, workspaceId, boundKeyId, hadLinks, linksMark: isMarked ? markOf(links) : null };
}

/**
 * Stores an event. Its links are held before, so that it is never sent without them, and dropped if it is not queued.
 */
function acceptor({ clock, links: memory }: Service) {
  const newUuid = uuidMaker();
  return async (store: Poster['store'], asked: Asked, links: Links): Promise<AcceptAnswer> => {
    const uuid = newUuid(clock.wallMs());
    const args = { ...asked, uuid };
    if (!asked.hadLinks) return store.acceptEvent(args);
    const publicId = publicIdOf(uuid);
    memory.hold(asked.workspaceId, publicId, links);
    let isQueued = false;
    try {
      const answer = await store.acceptEvent(args);
      isQueued = answer.kind === 'accepted' && answer.routes.length > 0;
      return answer;
    } finally {
      if (!isQueued) memory.drop(publicId);
    }
  };
}

function answerTo(answer: AcceptAnswer | CheckAnswer, { state }: BareContext, wallMs: number): HttpResponse {
  switch (answer.kind) {
    case 'accepted':
      return { status: 202, body: { event: eventBody(answer.event) } };
    case 'valid':
      return { status: 200, body: { valid: true, target_device_count: answer.targeted } };
    case 'replayed':
      state.replay = answer.isSame ? 'same' : 'different';
      return { status: 200, body: { event: eventBody(answer.event) }, headers: REPLAYED[state.replay] };
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

const REPLAYED = {
  same: { 'Idempotent-Replayed': 'true' },
  different: { 'Idempotent-Replayed': 'true', 'Idempotent-Body': 'different' },
} as const;

/** Only the seven fields of the specification, always in the same order, so that a replay is the same byte for byte. */
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
