import type { ApiSchema } from '../../contract/api-types.ts';
import type { ActingStore, EventPage, Reach } from '../../store/calls.ts';
import { posterOf } from '../acceptance.ts';
import { byToken, reachOf } from '../auth/api-key.ts';
import { ApiError, unwrap } from '../errors.ts';
import { eventBody, takeEvent } from '../event-posting.ts';
import { counted } from '../limits/throttles.ts';
import { eventFilterReader } from '../query.ts';
import type { BareContext, Context, Routes } from '../request-state.ts';
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
