import { ANY_KEY, ANY_REQUEST, type Operation, type Parameter, PUBLIC_ID } from './operation.ts';

const READ_LIMIT = 'Reading has a limit of its own, as high as that of posting, and costs nothing of it.';

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same as the field `idempotency_key`. Where both are there, they must not differ.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'run-1842',
};

/** What integrators use. */
export const INTEGRATORS = [
  {
    method: 'post',
    path: '/v1/events',
    operationId: 'postEvent',
    summary: 'Send an event',
    description:
      'Queues one push for each device that is subscribed to the channel. The answer 202 is a promise: the event is stored, counted and queued. After a 5xx or a lost answer, send it again with the same `idempotency_key`.',
    scope: 'events:write',
    parameters: [IDEMPOTENCY_KEY],
    body: 'event',
    answers: {
      202: { is: 'The event is queued.', schema: 'event-answer' },
      200: {
        is: 'The idempotency key is known: the event that it was first sent with. Or, with `validate_only`, the event is valid.',
        schema: 'event-not-queued',
        headers: ['Idempotent-Replayed', 'Idempotent-Body'],
      },
    },
    errors: [
      ...ANY_REQUEST,
      ...ANY_KEY,
      'channel_not_found',
      'payload_too_large',
      'invalid_fields',
      'rate_limited',
      'allowance_exhausted',
    ],
    limited: true,
  },
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    summary: 'List events',
    description: `Newest first. With an API key: the events of its workspace, and how far their deliveries are. ${READ_LIMIT} With a session token: the inbox, which has the events of the channels that own devices are subscribed to, with their full text, which of them are unread, and how many of each workspace. A search (\`q\`) looks at some thousand events at a time: until \`next\` is null there are more to look at, also where a page holds none. Links are not stored, so they are not there.`,
    scope: 'events:read',
    session: 'anybody',
    query: { schema: 'events-query', reads: ['workspace', 'channel', 'level', 'since', 'q', 'before', 'limit'] },
    answers: { 200: { is: 'One page.', schema: 'events-view' } },
    errors: [
      ...ANY_REQUEST,
      ...ANY_KEY,
      'not_signed_in',
      'workspace_not_found',
      'channel_not_found',
      'invalid_fields',
      'rate_limited',
    ],
    limited: true,
  },
  {
    method: 'get',
    path: '/v1/channels',
    operationId: 'listReachedChannels',
    summary: 'List the channels that a key reaches',
    description: READ_LIMIT,
    scope: 'events:read',
    answers: {
      200: { is: 'The channels of the workspace, or those that the key is bound to.', schema: 'reached-channels' },
    },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'rate_limited'],
    limited: true,
  },
  {
    method: 'get',
    path: '/v1/events/{public_id}',
    operationId: 'getEvent',
    summary: 'Read an event back',
    description: `With an API key: the record of the event, and how far its deliveries are. ${READ_LIMIT} With a session token: the event with its full text, for members of its workspace.`,
    scope: 'events:read',
    session: 'anybody',
    parameters: [PUBLIC_ID],
    answers: { 200: { is: 'The event.', schema: 'event-view' } },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'not_signed_in', 'event_not_found', 'rate_limited'],
    limited: true,
  },
  {
    method: 'get',
    path: '/v1/connection',
    operationId: 'testConnection',
    summary: 'Test a key',
    description: 'Creates no event, counts no usage, sends no push. It has a limit of its own for each client address.',
    scope: 'events:write',
    answers: { 200: { is: 'The key may send events.', schema: 'connection' } },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'connection_throttled'],
    limited: true,
  },
  {
    method: 'get',
    path: '/v1/usage',
    operationId: 'getUsage',
    summary: 'Read the usage',
    description: READ_LIMIT,
    scope: 'events:read',
    answers: { 200: { is: 'Usage of this month and of the twelve before.', schema: 'usage' } },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'rate_limited'],
    limited: true,
  },
] as const satisfies readonly Operation[];
