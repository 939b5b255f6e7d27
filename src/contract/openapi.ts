import { packageLicense } from '../process/package.ts';
import { Components, withDefaultInWords } from './openapi/components.ts';
import { HEADERS } from './openapi/headers.ts';
import { Responses } from './openapi/responses.ts';
import { type Operation, parametersOf } from './operations/operation.ts';
import { GROUPS } from './operations.ts';
import { type Schema, withMaxima } from './schemas.ts';

/**
 * Assembles the OpenAPI 3.1 document for common generators and validators. Not `isFlat`: keeps a response's
 * alternatives apart, for our types and tests.
 */
export function openApiDocument(installation: ApiSettings, { isFlat = true } = {}): Schema {
  const components = new Components({ isFlat });
  const responses = new Responses(components);
  const paths: Record<string, object> = {};
  for (const { name, operations } of GROUPS) {
    for (const operation of operations) {
      paths[operation.path] = {
        ...paths[operation.path],
        ...(operation.isOutsideBase && { servers: [{ url: rootOf(installation.baseUrl) }] }),
        [operation.method]: described(operation, name, components, responses),
      };
    }
  }
  const schemas = withLife(components.schemas, installation.delivery.ttlMs);
  const referred = referredIn([paths, responses.shared], schemas);
  return {
    openapi: '3.1.1',
    info: infoOf(installation),
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: installation.baseUrl }],
    tags: GROUPS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(Object.fromEntries(Object.entries(schemas).filter(([name]) => referred.has(name)))),
      responses: sorted(responses.shared),
      headers: HEADERS,
      securitySchemes: {
        // Java clients take a hash table's first entry as the bearer token: this one, by its name.
        integratorKey: { type: 'http', scheme: 'bearer', description: 'A workspace API key, `pctl_<id>_<secret>`.' },
        deviceToken: { type: 'http', scheme: 'bearer', description: 'The token of a device, `pdev_<secret>`.' },
        sessionToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a signed-in user, `pses_<secret>`.',
        },
      },
    },
  };
}

function described(operation: Operation, tag: string, components: Components, responses: Responses): object {
  const { operationId, summary, description, body, bodyIsOptional } = operation;
  const parameters = [...parametersOf(operation), ...queryParameters(operation, components)];
  return {
    operationId,
    summary,
    description: [description, whoMay(operation)].filter((text) => text !== undefined).join(' '),
    tags: [tag],
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: !bodyIsOptional, content: { 'application/json': components.mediaType(body) } },
    }),
    responses: responses.of(operation),
  };
}

type Query = NonNullable<Operation['query']>;

function queryParameters({ query }: Operation, components: Components): readonly object[] {
  return query === undefined ? [] : query.reads.map((name) => queryParameter(components, query, name));
}

function queryParameter(components: Components, { schema: from }: Query, name: string): object {
  const { description, ...schema } = withDefaultInWords(components.property(from, name));
  return { name, in: 'query', required: false, description, schema };
}

function whoMay({ scopes, session, device }: Operation): string {
  const ways = [
    ...(scopes === undefined
      ? []
      : [`an API key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}`]),
    ...(session === 'any' ? ['a session token'] : []),
    ...(session === 'managers' ? ['the session token of an owner or admin of the workspace'] : []),
    ...(device ? ['the device token of the device'] : []),
  ];
  return ways.length === 0 ? 'Needs no token.' : `Takes ${ways.join(', or ')}.`;
}

function securityOf({ scopes, session, device }: Operation): readonly object[] {
  return [
    ...(scopes === undefined ? [] : [{ integratorKey: [] }]),
    ...(session === undefined ? [] : [{ sessionToken: [] }]),
    ...(device ? [{ deviceToken: [] }] : []),
  ];
}

/** Limits events' life to the operator's time to live. */
function withLife(schemas: Record<string, Schema>, ttlMs: number): Record<string, Schema> {
  const { PostedEvent: event = {} } = schemas;
  return { ...schemas, PostedEvent: withMaxima(event, { expires_in: Math.floor(ttlMs / 1_000) }) };
}

function referredIn(parts: unknown, schemas: Record<string, Schema>, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(parts).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    referredIn(schemas[name], schemas, found);
  }
  return found;
}

function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/api$/, '') || '/';
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface ApiSettings {
  /** The clients' address ending with `/api`, absolute if known. */
  readonly baseUrl: string;
  readonly limits: { readonly burstPerMinute: number; readonly connectionPerMinute: number };
  readonly retention: {
    readonly eventsMs: number;
    readonly deliveriesMs: number;
    /** Size at which the oldest events go; null: none. */
    readonly maxSizeBytes: number | null;
  };
  readonly delivery: { readonly ttlMs: number };
}

/** Returns the info object, short since generated clients repeat it. */
function infoOf(installation: ApiSettings): object {
  return {
    title: 'Push event ingest API',
    version: '1',
    summary: 'Post an event, and every device that is subscribed to its channel gets one push.',
    description: [...RULES, limitsOf(installation), retentionOf(installation)].map((rule) => `- ${rule}`).join('\n'),
    contact: contactOf(installation.baseUrl),
    // Generators want the identifier, too.
    license: { name: packageLicense(), identifier: packageLicense() },
  };
}

const RULES = [
  'If the server has its web app, people read this description at `/docs`.',
  'Integrators send an API key as Bearer token, people a session token from `POST /v1/session`.',
  'Bodies are JSON objects in UTF-8. Unknown fields are ignored. In POST and PUT, null and blank texts in optional fields count as absent. In PATCH, null clears a field if its schema allows null.',
  'Errors have a `message` for people and a stable `code` for programs. A 404 has only the `message`, a 422 also `errors` by field. 429 and 503 carry `Retry-After` in seconds.',
  'After a 5xx or a lost response, post an event again with the same `idempotency_key`. It is sent and counted once.',
  'Within `/v1`, responses may gain fields, codes and words of a set. Ignore those that you do not know.',
];

function limitsOf({ limits: { burstPerMinute, connectionPerMinute } }: ApiSettings): string {
  return `An API key may post ${burstPerMinute} times in any 60 seconds, unless it has its own limit. A client address may test ${connectionPerMinute} connections in any 60 seconds.`;
}

function retentionOf({ retention: { eventsMs, deliveriesMs, maxSizeBytes } }: ApiSettings): string {
  const bound = ' If the data outgrows its bound, the oldest go earlier, but none within 24 hours.';
  return `Events are kept for ${inWords(eventsMs)}, the deliveries of each device for ${inWords(deliveriesMs)}.${maxSizeBytes === null ? '' : bound}`;
}

function contactOf(baseUrl: string): object {
  return { name: 'The operator of this service', ...(URL.canParse(baseUrl) && { url: new URL(baseUrl).origin }) };
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/** Uses the largest exact unit: `90 days`, `36 hours`. */
function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? UNITS[4];
  return `${ms / size} ${unit}${ms === size ? '' : 's'}`;
}
