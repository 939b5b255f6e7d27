import type { ActingStore } from '../../store/acting.ts';
import type { Reach } from '../../store/calls.ts';
import { posterOf } from '../acceptance.ts';
import { byToken } from '../auth/by-token.ts';
import { ApiError } from '../errors.ts';
import { EventPosting, eventBody } from '../event-posting.ts';
import { counted } from '../limits/throttles.ts';
import type { BareContext, Context, Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';
import { getInboxEvent } from './inbox.ts';

export function eventRoutes(service: Service) {
  return {
    postEvent: postEvent(service),
    getEvent: byToken({ session: getInboxEvent(service), key: getEvent(service) }),
    cancelEvent: byToken({ session: cancelAsManager(service), key: cancelByKey(service) }),
  } satisfies Routes;
}

/** POST /v1/events. The order of the lines is the order of the checks in the contract. */
function postEvent(service: Service): Handler<BareContext> {
  const posting = new EventPosting(service);
  return async (context) => {
    const integrator = await service.authorize(context, 'events:write');
    const request = service.throttle.burst(context, integrator.key);
    return counted(request, () => posting.post(context, posterOf(integrator, request)));
  };
}

/** GET /v1/events/{public_id} */
function getEvent({ authorize, throttle }: Service): Handler {
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const { workspaceId, boundKeyId } = key;
    return { status: 200, body: await reached(store, { workspaceId, boundKeyId }, context) };
  };
}

/** POST /v1/events/{public_id}/cancel, with an API key. What is left to be ended the store ends by itself. */
function cancelByKey({ authorize, throttle }: Service): Handler {
  return async (context) => {
    const { key, store } = await authorize(context, 'events:write');
    const { workspaceId, boundKeyId } = key;
    const reach = { workspaceId, boundKeyId };
    return counted(throttle.burst(context, key), async () => {
      unwrap(await store.cancelEvent({ publicId: context.params.public_id, reach }), 'event_not_found');
      return { status: 200, body: await reached(store, reach, context) };
    });
  };
}

/** POST /v1/events/{public_id}/cancel, with a session token */
function cancelAsManager({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    const publicId = context.params.public_id;
    unwrap(await store.cancelEvent({ publicId, userId: user.id }), 'event_not_found');
    return { status: 200, body: unwrap(await store.readInboxEvent({ userId: user.id, publicId }), 'event_not_found') };
  };
}

async function reached(store: Pick<ActingStore, 'readEvent'>, reach: Reach, context: Context): Promise<object> {
  const found = await store.readEvent({ ...reach, publicId: context.params.public_id });
  if (found === null) throw new ApiError('event_not_found');
  const { event, deliveries, state, send_at, cancelled_at, alert } = found;
  return { event: eventBody(event), deliveries, state, send_at, cancelled_at, alert };
}
