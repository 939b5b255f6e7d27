import { posterOf } from '../acceptance.ts';
import { byToken } from '../auth/by-token.ts';
import { ApiError } from '../errors.ts';
import { eventBody, eventPosting } from '../event-posting.ts';
import { counted } from '../limits/throttles.ts';
import type { BareContext, Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { getInboxEvent } from './inbox.ts';

export function eventRoutes(service: Service) {
  return {
    postEvent: postEvent(service),
    getEvent: byToken({ session: getInboxEvent(service), key: getEvent(service) }),
  } satisfies Routes;
}

/** POST /v1/events. The order of the lines is the order of the checks in the contract. */
function postEvent(service: Service): Handler<BareContext> {
  const post = eventPosting(service);
  return async (context) => {
    const integrator = await service.authorize(context, 'events:write');
    const request = service.throttle.burst(context, integrator.key);
    return counted(request, () => post(context, posterOf(integrator, request)));
  };
}

/** GET /v1/events/{public_id} */
function getEvent({ authorize, throttle }: Service): Handler {
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const { workspaceId, boundKeyId } = key;
    const found = await store.readEvent({ workspaceId, boundKeyId, publicId: context.params.public_id });
    if (found === null) throw new ApiError('event_not_found');
    return { status: 200, body: { event: eventBody(found.event), deliveries: found.deliveries, alert: found.alert } };
  };
}
