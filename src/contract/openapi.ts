import { API_ERRORS } from './errors.ts';
import type { Operation } from './operations/operation.ts';
import { OPERATIONS } from './operations.ts';
import { componentsOf, type Schema } from './schemas.ts';

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
        sessionToken: { type: 'http', scheme: 'bearer', description: 'Of somebody who signed in, `pses_<secret>`.' },
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
  const { operationId, summary, description, scope, session, parameters, body, bodyIsOptional } = operation;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    ...securityOf(operation),
    ...(scope !== undefined && { 'x-scope': scope }),
    ...(session === 'managers' && { 'x-roles': ['owner', 'admin'] }),
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && { requestBody: { required: !bodyIsOptional, content: content(body) } }),
    responses: { ...successes(operation), ...failures(operation) },
  };
}

function securityOf({ scope, session }: Operation): object {
  const ways = [
    ...(scope === undefined ? [] : [{ apiKey: [] }]),
    ...(session === undefined ? [] : [{ sessionToken: [] }]),
  ];
  return ways.length > 0 ? { security: ways } : {};
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

function response(description: string, schema: string | undefined, headers: readonly string[]): object {
  const named = ['X-Request-Id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(named), ...(schema !== undefined && { content: content(schema) }) };
}

function content(schema: string): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function schemaOfError(status: number): string {
  if (status === 404) return 'not-found';
  return status === 422 ? 'invalid-fields' : 'error';
}

function schemasOf({ body, answers }: Operation): readonly string[] {
  const used = Object.values(answers).flatMap(({ schema }) => schema ?? []);
  return [...used, ...(body === undefined ? [] : [body]), 'error', 'not-found', 'invalid-fields'];
}

function besideOf(baseUrl: string): string {
  return baseUrl.replace(/\/api$/, '') || '/';
}
