import type { ApiSchema } from '../../contract/api-types.ts';
import type { UnknownField } from '../../contract/given-fields.ts';
import type { ParsedEvent } from '../../contract/posted-event.ts';
import { type EventRecord, unreachable } from '../../push.ts';
import type { ActingStore, EventPage, Reach } from '../../store/calls.ts';
import { type Acceptance, type Accepted, ALERT_UNCHANGED, type Checked, type Poster, posterOf } from '../acceptance.ts';
import { byToken, reachOf } from '../auth/api-key.ts';
import { readJson } from '../body/read-json.ts';
import { ApiError, FieldsError, unwrap } from '../errors.ts';
import { counted } from '../limits/throttles.ts';
import { eventFilterReader } from '../query.ts';
import { type BareContext, type Context, headerText, type ResponseTo, type Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

export function eventRoutes({ acceptance, authenticate, authorize, authorizeRead, throttle, clock }: Service) {
  const readInboxFilter = eventFilterReader('listEvents', clock);
  const readReachedFilter = eventFilterReader('listEvents', clock, 'key');
  return {
    /** Answers POST /v1/events. Checks in the contract's order. */
    async postEvent(context: BareContext) {
      const integrator = await authorize(context, ['events:write']);
      const request = throttle.burst(context, integrator.key);
      return counted(request, () => takeEvent(acceptance, context, posterOf(integrator, request)));
    },

    /** GET /v1/events: a person's inbox, or a key's reach */
    listEvents: byToken({
      async session(context) {
        const { store, user, memberships } = await authenticate(context);
        const [ofWorkspace] = memberships.map(({ slug }) => slug).sort();
        const turn = ofWorkspace === undefined ? {} : { ofWorkspace };
        const page = await store.listInbox({ userId: user.id, ...turn, ...readInboxFilter(context) });
        return { status: 200, body: unwrap(page, 'workspace_not_found') };
      },
      async key(context) {
        const { store, reach } = await authorizeRead(context);
        const page = await store.listReachedEvents({ ...reach, ...readReachedFilter(context) });
        return { status: 200, body: listed(unwrap(page, 'channel_not_found')) };
      },
    }),

    /** GET /v1/events/{public_id}: for tapped or shortened pushes */
    getEvent: byToken({
      async session(context) {
        const { store, user } = await authenticate(context);
        const found = await store.readInboxEvent({ userId: user.id, publicId: context.params.public_id });
        return { status: 200, body: unwrap(found, 'event_not_found') };
      },
      async key(context) {
        const { store, reach } = await authorizeRead(context);
        return { status: 200, body: await reached(store, reach, context) };
      },
    }),

    /** Answers POST /v1/events/{public_id}/cancel. The store ends the rest. */
    cancelEvent: byToken({
      async session(context) {
        const { store, user } = await authenticate(context);
        const asked = { userId: user.id, publicId: context.params.public_id };
        unwrap(await store.cancelEvent(asked), 'event_not_found');
        return { status: 200, body: unwrap(await store.readInboxEvent(asked), 'event_not_found') };
      },
      async key(context) {
        const { key, store } = await authorize(context, ['alerts:write', 'events:write']);
        const request = throttle.burst(context, key);
        return counted(request, async () => {
          const reach = reachOf(key);
          const cancelled = await store.cancelEvent({ publicId: context.params.public_id, reach });
          const { public_id, status } = unwrap(cancelled, 'event_not_found').event;
          const canRead = key.scopes.includes('events:read');
          const body = canRead ? await reached(store, reach, context) : { event: { public_id, status } };
          await request.end();
          return { status: 200, body };
        });
      },
    }),
  } satisfies Routes;
}

async function reached(
  store: Pick<ActingStore, 'readEvent'>,
  reach: Reach,
  context: Context,
): Promise<ApiSchema<'EventProgress'>> {
  const found = await store.readEvent({ ...reach, publicId: context.params.public_id });
  if (found === null) throw new ApiError('event_not_found');
  const { event, ...progress } = found;
  return { event: eventBody(event), ...progress };
}

function listed({ events, ...place }: EventPage): ApiSchema<'PageOfEvents'> {
  return {
    // Omits test pushes, the only events without a channel.
    events: events.flatMap((event) => {
      const { channel, title, collapse_key, deliveries } = event;
      return channel === null ? [] : { ...eventBody(event), channel, title, collapse_key, deliveries };
    }),
    ...place,
  };
}

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
