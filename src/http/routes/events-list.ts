import { parseDurationMs } from '../../config/units.ts';
import { timestampMs } from '../../contract/fields.ts';
import type { Level } from '../../push.ts';
import type { EventPage } from '../../store/calls.ts';
import { byToken } from '../auth/by-token.ts';
import { fieldError } from '../errors.ts';
import { PAGE, queryReader } from '../query.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';
import { eventBody } from './events.ts';
import { getInbox } from './inbox.ts';

interface EventsQuery {
  readonly channel?: string;
  readonly level?: Level;
  readonly since?: string;
  readonly before?: string;
  readonly limit?: number;
}

export function eventListRoutes(service: Service) {
  return {
    listEvents: byToken({ session: getInbox(service), key: getEvents(service) }),
    listReachedChannels: getReachedChannels(service),
  } satisfies Routes;
}

/** GET /v1/events, with an API key */
function getEvents({ authorize, throttle, clock }: Service): Handler {
  const read = queryReader<EventsQuery>('events-query');
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const { since, limit = PAGE, ...filter } = read(context);
    const { workspaceId, boundKeyId } = key;
    const period = since === undefined ? {} : { sinceMs: sinceMs(since, clock.wallMs()) };
    const page = await store.listReachedEvents({ workspaceId, boundKeyId, limit, ...filter, ...period });
    return { status: 200, body: listed(unwrap(page, 'channel_not_found')) };
  };
}

/** GET /v1/channels, with an API key */
function getReachedChannels({ authorize, throttle }: Service): Handler {
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const { workspaceId, boundKeyId } = key;
    return {
      status: 200,
      body: { channels: await store.listReachedChannels({ workspaceId, boundKeyId }), next: null },
    };
  };
}

/** A time, or how far back. An unescaped plus of an offset has become a blank. */
function sinceMs(since: string, nowMs: number): number {
  const backMs = parseDurationMs(since);
  const atMs = backMs === null ? timestampMs(since.replace(' ', '+')) : nowMs - backMs;
  if (atMs !== null) return atMs;
  const wanted = 'a time such as 2026-11-21T09:30:00Z or how far back, such as 24h';
  throw fieldError('since', `The since field must be ${wanted}.`);
}

function listed({ events, next }: EventPage): object {
  return {
    events: events.map((event) => {
      const { channel, title, collapse_key, deliveries } = event;
      return { ...eventBody(event), channel, title, collapse_key, deliveries };
    }),
    next,
  };
}
