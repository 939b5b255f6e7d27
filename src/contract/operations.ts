import type { ApiErrorCode } from './errors.ts';

/** One operation of the API, as far as its description needs it. */
export interface Operation {
  readonly method: 'get' | 'post';
  /** Below the base address. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Scope of the API key that it needs. */
  readonly scope?: string;
  readonly parameters?: readonly object[];
  /** Name of a schema, as are those of `answers`. */
  readonly body?: string;
  readonly answers: Readonly<Record<number, { readonly is: string; readonly schema: string; readonly replay?: true }>>;
  readonly errors: readonly (ApiErrorCode | 'invalid_fields')[];
  /** Whether it tells how much of its limit is left, once it has counted the request. */
  readonly limited?: true;
  /** Stands beside the base address, not below it. */
  readonly beside?: true;
}

const ANY_REQUEST = [
  'invalid_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'overloaded',
] as const;
const ANY_KEY = [
  'unauthenticated',
  'key_revoked',
  'key_expired',
  'missing_scope',
  'workspace_inactive',
  'unavailable',
] as const;
const READ_LIMIT = 'Reading has a limit of its own, as high as that of posting, and costs nothing of it.';
const PUBLIC_ID = {
  name: 'public_id',
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
};

/** Every operation. Each has a line in http/app.ts, too. */
export const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/events',
    operationId: 'postEvent',
    summary: 'Send an event',
    description:
      'Queues one push for each device that is subscribed to the channel. The answer 202 is a promise: the event is stored, counted and queued. After a 5xx or a lost answer, send it again with the same `idempotency_key`.',
    scope: 'events:write',
    body: 'event',
    answers: {
      202: { is: 'The event is queued.', schema: 'event-answer' },
      200: {
        is: 'The idempotency key is known: the event that it was first sent with.',
        schema: 'event-answer',
        replay: true,
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
    path: '/v1/events/{public_id}',
    operationId: 'getEvent',
    summary: 'Read an event back',
    description: `The record of the event, and how far its deliveries are. ${READ_LIMIT}`,
    scope: 'events:read',
    parameters: [PUBLIC_ID],
    answers: { 200: { is: 'The event.', schema: 'event-read' } },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'event_not_found', 'rate_limited'],
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
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This description',
    answers: { 200: { is: 'An OpenAPI 3.1 document.', schema: 'openapi' } },
    errors: ANY_REQUEST,
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Whether the process answers',
    answers: { 200: { is: 'It does.', schema: 'health' } },
    errors: ANY_REQUEST,
    beside: true,
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Whether events can be stored',
    answers: { 200: { is: 'They can.', schema: 'health' } },
    errors: [...ANY_REQUEST, 'unavailable'],
    beside: true,
  },
];
