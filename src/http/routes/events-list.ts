import type { EventPage } from '../../store/calls.ts';
import { byToken } from '../auth/by-token.ts';
import { eventFilterReader } from '../event-filter.ts';
import { eventBody } from '../event-posting.ts';
import { queryReader } from '../query.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';
import { getInbox } from './inbox.ts';

export function eventListRoutes(service: Service) {
  return {
    listEvents: byToken({ session: getInbox(service), key: getEvents(service) }),
    listReachedChannels: getReachedChannels(service),
  } satisfies Routes;
}

/** GET /v1/events, with an API key */
function getEvents({ authorize, throttle, clock }: Service): Handler {
  const read = eventFilterReader('listEvents', clock, 'key');
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const { workspaceId, boundKeyId } = key;
    const page = await store.listReachedEvents({ workspaceId, boundKeyId, ...read(context) });
    return { status: 200, body: listed(unwrap(page, 'channel_not_found')) };
  };
}

/** GET /v1/channels, with an API key */
function getReachedChannels({ authorize, throttle }: Service): Handler {
  const read = queryReader('listReachedChannels', 'key');
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    read(context);
    const { workspaceId, boundKeyId } = key;
    return {
      status: 200,
      body: { channels: await store.listReachedChannels({ workspaceId, boundKeyId }), next: null },
    };
  };
}

function listed({ events, ...place }: EventPage): object {
  return {
    events: events.map((event) => {
      const { channel, title, collapse_key, deliveries } = event;
      return { ...eventBody(event), channel, title, collapse_key, deliveries };
    }),
    ...place,
  };
}
