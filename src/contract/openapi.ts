import { type ApiSettings, infoOf } from './openapi/about.ts';
import { Components } from './openapi/components.ts';
import { HEADERS } from './openapi/headers.ts';
import { Responses } from './openapi/responses.ts';
import { type Operation, parametersOf } from './operations/operation.ts';
import { GROUPS } from './operations.ts';
import type { Schema } from './schemas.ts';
import { SESSION_COOKIE } from './session-token.ts';

/**
 * The OpenAPI 3.1 document, assembled from `schemas/`, the operations and the list of errors. Uses only what the common
 * code generators and validators understand.
 */
export function openApiDocument(installation: ApiSettings): Schema {
  const components = new Components();
  const responses = new Responses(components);
  const paths: Record<string, object> = {};
  for (const { name, operations } of GROUPS) {
    for (const operation of operations) {
      paths[operation.path] = {
        ...paths[operation.path],
        ...(operation.beside && { servers: [{ url: besideOf(installation.baseUrl) }] }),
        [operation.method]: described(operation, name, components, responses),
      };
    }
  }
  return {
    openapi: '3.1.1',
    info: infoOf(installation),
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: installation.baseUrl }],
    tags: GROUPS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(withLife(components.schemas, installation.delivery.ttlMs)),
      responses: sorted(responses.shared),
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A workspace API key, `pctl_<id>_<secret>`.' },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'Of a user who signed in, `pses_<secret>`.' },
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The same token, which a browser keeps. Taken only from the pages of this server: `Sec-Fetch-Site: same-origin`, or a matching `Origin` where that is missing.',
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

/** Clients for Go send a default by themselves, so there is none where one of the callers is refused for it. */
function queryParameter(components: Components, { schema: from, reads, withKey = reads }: Query, name: string): object {
  const { description, default: byDefault, ...schema } = components.property(from, name);
  const forAll = byDefault !== undefined && withKey.includes(name) && { default: byDefault };
  return { name, in: 'query', required: false, description, schema: { ...schema, ...forAll } };
}

function whoMay({ scopes, session }: Operation): string {
  const ways = [
    ...(scopes === undefined
      ? []
      : [`an API key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}`]),
    ...(session === 'any' ? ['a session token'] : []),
    ...(session === 'managers' ? ['the session token of an owner or admin of the workspace'] : []),
  ];
  return ways.length === 0 ? 'Needs no token.' : `Takes ${ways.join(', or ')}.`;
}

function securityOf({ scopes, session }: Operation): readonly object[] {
  return [
    ...(scopes === undefined ? [] : [{ apiKey: [] }]),
    ...(session === undefined ? [] : [{ sessionToken: [] }, { sessionCookie: [] }]),
  ];
}

/** No event is sent after the time to live that the operator has set. */
function withLife(schemas: Record<string, Schema>, ttlMs: number): Record<string, Schema> {
  const { PostedEvent: event = {} } = schemas;
  const properties = event.properties as Record<string, Schema>;
  const life = { ...properties.expires_in, maximum: Math.floor(ttlMs / 1_000) };
  return { ...schemas, PostedEvent: { ...event, properties: { ...properties, expires_in: life } } };
}

function besideOf(baseUrl: string): string {
  return baseUrl.replace(/\/api$/, '') || '/';
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
