import { API_ERRORS, type ApiErrorCode } from './errors.ts';
import { componentsOf, type Schema } from './schemas.ts';

interface Operation {
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
const PUBLIC_ID = {
  name: 'public_id',
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
};

const OPERATIONS: readonly Operation[] = [
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
    description: 'The record of the event, and how far its deliveries are.',
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

/** The OpenAPI 3.1 document, assembled from `schemas/` and the list of errors. `baseUrl` ends with `/api`. */
export function openApiDocument(baseUrl: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      ...(operation.beside && { servers: [{ url: besideOf(baseUrl) }] }),
      [operation.method]: describe(operation),
    };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Push event ingest API',
      version: '1',
      description:
        'Post an event, and every device that is subscribed to its channel gets one push. Answers are always JSON, and always carry `X-Request-Id`.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: componentsOf([...new Set(OPERATIONS.flatMap(schemasOf))].sort()),
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A workspace API key, `pctl_<id>_<secret>`.' },
      },
    },
  };
}

const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: { const: 'Bearer' } },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 86400 },
  },
  Allow: { description: 'The methods that the address takes.', required: true, schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'The event had been accepted before.',
    required: true,
    schema: { const: 'true' },
  },
  'RateLimit-Policy': {
    description: 'Name, quota and window in seconds of the limit (IETF draft httpapi-ratelimit-headers).',
    schema: { type: 'string', pattern: '^"[a-z]+";q=\\d+;w=60$' },
  },
  RateLimit: {
    description: 'What remains of it, and in how many seconds there will be more.',
    schema: { type: 'string', pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
  },
};

function describe(operation: Operation): object {
  const { operationId, summary, description, scope, parameters, body } = operation;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    ...(scope !== undefined && { security: [{ apiKey: [] }], 'x-scope': scope }),
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: content(body) } }),
    responses: { ...successes(operation), ...failures(operation) },
  };
}

function successes({ answers, limited }: Operation): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { is, schema, replay }]) => [
      status,
      response(is, schema, [...(replay ? ['Idempotent-Replayed'] : []), ...(limited ? LIMIT_HEADERS : [])]),
    ]),
  );
}

/** One response for each status, which names all its causes. */
function failures({ errors, limited }: Operation): Record<string, object> {
  const causes = new Map<number, string[]>();
  for (const code of errors) {
    const status = code === 'invalid_fields' ? 422 : API_ERRORS[code].status;
    const cause = code === 'invalid_fields' ? 'Fields are missing or wrong.' : API_ERRORS[code].message;
    causes.set(status, [...(causes.get(status) ?? []), status === 404 ? cause : `\`${code}\`: ${cause}`]);
  }
  return Object.fromEntries(
    [...causes].map(([status, all]) => [
      status,
      response(all.join(' '), schemaOfError(status), [
        ...(status === 401 ? ['WWW-Authenticate'] : []),
        ...(status === 429 || status === 503 ? ['Retry-After'] : []),
        ...(limited ? LIMIT_HEADERS : []),
      ]),
    ]),
  );
}

const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit'];

function response(description: string, schema: string, headers: readonly string[]): object {
  const named = ['X-Request-Id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(named), content: content(schema) };
}

function content(schema: string): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function schemaOfError(status: number): string {
  if (status === 404) return 'not-found';
  return status === 422 ? 'invalid-fields' : 'error';
}

function schemasOf({ body, answers }: Operation): readonly string[] {
  const used = Object.values(answers).map(({ schema }) => schema);
  return [...used, ...(body === undefined ? [] : [body]), 'error', 'not-found', 'invalid-fields'];
}

function besideOf(baseUrl: string): string {
  return baseUrl.replace(/\/api$/, '') || '/';
}
