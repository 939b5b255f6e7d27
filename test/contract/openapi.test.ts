import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { API_ERRORS } from '../../src/contract/errors.ts';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { readSchema, type Schema } from '../../src/contract/schemas.ts';
import { packagePath } from '../../src/process/package.ts';
import { describedApi, operationsOf, responseOf } from '../support/openapi.ts';

const document = describedApi();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'document', components: document.components });

test('every reference in it leads somewhere', () => {
  for (const { key, value } of entriesOf(document)) {
    if (key !== '$ref') continue;
    let node: unknown = document;
    for (const part of String(value).slice('#/'.length).split('/')) node = (node as Schema)[part];
    assert.type(node, 'object', String(value));
  }
});

test('its server is the live base address, and the health routes stand beside it', () => {
  const known = describedApi({ baseUrl: 'https://push.example.com/api' });
  assert.equal(known.servers, [{ url: 'https://push.example.com/api' }]);
  assert.equal(known.paths['/healthz']?.servers, [{ url: 'https://push.example.com' }]);
  assert.is(known.paths['/v1/events']?.servers, undefined);
  assert.equal(document.servers, [{ url: 'http://127.0.0.1:0/api' }]);
});

test('fields that an API key may not read are described there as they are elsewhere', () => {
  const event = defined('event-cancelled', 'cancelled-event');
  assert.equal(event, readSchema('event-text').properties);
  assert.equal(defined('alert-answer', 'changed-alert'), readSchema('alert').properties);
  const { event: _, ...others } = readSchema('event-cancelled').properties as Schema;
  const { event: __, ...read } = {
    ...(readSchema('event-read').properties as Schema),
    ...defined('event-view', 'whole-event'),
  };
  assert.equal(others, read);
});

test('it has neither our own keywords nor fields that are refused', () => {
  const internal = ['$schema', '$id', '$defs', '$comment'];
  for (const { key } of entriesOf(document)) assert.not.ok(internal.includes(key) || key.startsWith('x-'), key);
  const { icon, api_key: apiKey, ...taken } = readSchema('event').properties as Record<string, Schema>;
  assert.ok(icon && apiKey);
  assert.equal(Object.keys(document.components.schemas.PostedEvent?.properties as object), Object.keys(taken));
});

const FORMATS = ['date-time', 'email', 'password', 'uri', 'uuid'];

test('its patterns are understood by every language, and its formats are of the standard', () => {
  for (const { key, value } of entriesOf(document)) {
    if (key === 'pattern') {
      assert.ok(new RegExp(String(value)) && new RegExp(String(value), 'u'));
      assert.not.match(String(value), /\\[^\d.dws\-+"]|\(\?[^:]/);
    }
    if (key === 'format') assert.ok(FORMATS.includes(String(value)), String(value));
  }
});

test('if a pattern that some languages do not know is left out, the text has its rule', () => {
  const described = 'event channel-request channel-change key-request device-registration password-change'.split(' ');
  let count = 0;
  for (const name of described) {
    const { title, properties } = readSchema(name) as { title: string; properties: Record<string, Schema> };
    const key = title.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
    const shown = document.components.schemas[key]?.properties as Record<string, Schema>;
    for (const [field, { pattern }] of Object.entries(properties)) {
      if (!/\\p/i.test(String(pattern))) continue;
      assert.is(shown[field]?.pattern, undefined, `${name} ${field}`);
      assert.match(String(shown[field]?.description), /not blank|no control characters|well-formed/i);
      count += 1;
    }
  }
  assert.ok(count >= described.length);
});

test('answers may gain fields: none of its schemas is closed', () => {
  const closed = [...entriesOf(document)].filter(({ key, value }) => key === 'additionalProperties' && value === false);
  assert.equal(closed.length, 0);
  const isPage = ajv.compile({ $ref: 'document#/components/schemas/PageOfEvents' });
  assert.ok(isPage({ events: [], next: null, unread: [], estimated_total: 7 }));
});

test('its schemas have forms and names that generators for Go, Python, Rust and TypeScript understand', () => {
  const { schemas } = document.components;
  // Go has constructors of these.
  for (const name of Object.keys(schemas)) assert.not.match(name, /^New/);
  for (const { value } of entriesOf(document)) {
    if (isObject(value) && value.type === 'boolean') assert.not.ok('enum' in value || 'const' in value);
  }
});

test('no response is one of several: each is one object, with the fields of all and the required ones of each', () => {
  for (const { key } of entriesOf(document)) assert.not.equal(key, 'oneOf');
  const { schemas } = document.components;
  const precise = describedApi({}, { isFlat: false }).components.schemas;
  const required = (schema: Schema | undefined) => (schema?.required ?? []) as readonly string[];
  let count = 0;
  for (const [name, { oneOf }] of Object.entries(precise)) {
    if (oneOf === undefined) continue;
    const kinds = (oneOf as readonly Schema[]).map(({ $ref }) => precise[String($ref).split('/').at(-1) ?? '']);
    const fields = kinds.flatMap((kind) => Object.keys(kind?.properties ?? {}));
    assert.equal(Object.keys(schemas[name]?.properties ?? {}), [...new Set(fields)], name);
    const inAll = fields.filter((field) => kinds.every((kind) => required(kind).includes(field)));
    assert.equal(required(schemas[name]), [...new Set(inAll)], name);
    count += 1;
  }
  assert.is(count, 3);
  assert.equal(required(schemas.EventThatIsNotQueued), []);
  assert.equal(Object.keys(schemas.EventViewEvent?.properties ?? {}).length, 18);
});

test('no field has a default that a client would send by itself, and no name is used twice', () => {
  for (const { key, value } of entriesOf(document)) assert.not.ok(key === 'default', JSON.stringify(value));
  const { schemas, responses, securitySchemes } = document.components;
  assert.equal(Object.keys(securitySchemes), ['integratorKey', 'deviceToken', 'sessionToken']);
  const names = [schemas, responses, securitySchemes].flatMap(Object.keys).map((name) => name.toLowerCase());
  assert.equal(names.length, new Set(names).size);
});

test('its text is short, and its licence is that of the package', () => {
  assert.ok(document.info.description.length < 1_500, String(document.info.description.length));
  const { license } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.equal(document.info.license, { name: license, identifier: license });
});

test('a key may change the same fields without reading them, and few of them are required', () => {
  const { schemas } = document.components;
  const fieldsOf = (name: string) => Object.keys((schemas[name]?.properties ?? {}) as object).sort();
  assert.equal(fieldsOf('ChangedAlert'), fieldsOf('Alert'));
  assert.equal(schemas.ChangedAlert?.required, ['id', 'state']);
  assert.equal(fieldsOf('CancelledEvent'), fieldsOf('EventViewEvent'));
  assert.equal(schemas.CancelledEvent?.required, ['public_id', 'status']);
  assert.equal(fieldsOf('EventCancelled'), fieldsOf('EventView'));
});

test('no schema with a reference says more beside it, because generators would overlook that', () => {
  for (const { value } of entriesOf(document)) {
    if (isObject(value) && '$ref' in value) assert.equal(Object.keys(value), ['$ref']);
  }
});

test('every operation has words, a tag that is explained, and says who may call it', () => {
  const tags = document.tags.map(({ name }) => name);
  for (const [method, path, operation] of operationsOf(document)) {
    assert.ok(operation.summary && operation.description, `${method} ${path}`);
    assert.equal(
      operation.tags.map((tag) => tags.includes(tag)),
      [true],
    );
  }
  const openTo = (ways: string) =>
    operationsOf(document).flatMap(([, , { operationId, security }]) =>
      security.flatMap(Object.keys).join() === ways ? operationId : [],
    );
  assert.is(
    openTo('').join(' '),
    'signIn listSignInWays beginOidc finishOidc challengePasskey getOpenApi getHealth getReadiness',
  );
  assert.is(
    openTo('integratorKey,sessionToken').join(' '),
    'listEvents getEvent cancelEvent listAlerts acknowledgeAlert resolveAlert reopenAlert listOnCall',
  );
});

test('every request, answer, parameter of a path and header field has an example, and each is valid', () => {
  let count = 0;
  const check = (where: string, schema: Schema, examples: readonly unknown[]): void => {
    assert.ok(examples.length > 0 && !examples.includes(undefined), `${where} has none`);
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    for (const example of examples) assert.ok(validate(example), `${where}: ${JSON.stringify(validate.errors)}`);
    count += examples.length;
  };
  const checkContent = (where: string, content: ReturnType<typeof responseOf>['content']): void => {
    if (content === undefined) return;
    for (const { schema, example, examples } of Object.values(content)) {
      check(where, schema, examples === undefined ? [example] : Object.values(examples).map(({ value }) => value));
    }
  };
  for (const [method, path, { parameters = [], requestBody, responses }] of operationsOf(document)) {
    const where = `${method} ${path}`;
    for (const { name, in: place, schema, example } of parameters) {
      if (place !== 'query') check(`${where} ${name}`, schema, [example]);
    }
    checkContent(where, requestBody?.content);
    for (const [status, response] of Object.entries(responses)) {
      checkContent(`${where} ${status}`, responseOf(document, response).content);
    }
  }
  for (const [name, { schema, example }] of Object.entries(document.components.headers)) check(name, schema, [example]);
  assert.ok(count > 200);
});

test('an error names the codes that it can have at this status, and 405 the methods that are right', () => {
  const { post } = document.paths['/v1/events'] ?? {};
  const codesOf = (status: number) => {
    const response = post?.responses[status];
    const { $ref } = (response && responseOf(document, response).content?.['application/json']?.schema) ?? {};
    const { properties } = document.components.schemas[String($ref).split('/').at(-1) ?? ''] ?? {};
    return (properties as { code: Schema }).code.enum;
  };
  assert.equal(codesOf(401), ['unauthenticated']);
  assert.equal(codesOf(403), ['key_revoked', 'key_expired', 'missing_scope', 'workspace_inactive']);
  assert.equal(codesOf(429), ['rate_limited', 'allowance_exhausted']);
  for (const [method, path, { responses }] of operationsOf(document)) {
    const { headers } = responseOf(document, responses[405] ?? { $ref: `${method} ${path} has no 405` });
    assert.ok('Allow' in headers);
  }
});

test('every list with pages leads to the next page, and every event to its own address', () => {
  const operations = new Map(operationsOf(document).map(([, , operation]) => [operation.operationId, operation]));
  let pages = 0;
  for (const { operationId, parameters = [], responses } of operations.values()) {
    const links = Object.values(responses).flatMap((response) =>
      Object.entries(responseOf(document, response).links ?? {}),
    );
    const hasPages = parameters.some(({ name }) => name === 'before' || name === 'after');
    assert.is(links.filter(([name]) => name === 'NextPage').length, hasPages ? 1 : 0, operationId);
    if (hasPages) pages += 1;
    for (const [name, link] of links) {
      const target = operations.get(link.operationId);
      const wanted =
        target?.parameters?.filter(({ in: place }) => place === 'path').map((parameter) => parameter.name) ?? [];
      const known = target?.parameters?.map((parameter) => parameter.name) ?? [];
      assert.ok(
        wanted.every((parameter) => parameter in link.parameters),
        `${operationId} ${name}`,
      );
      assert.ok(
        Object.keys(link.parameters).every((parameter) => known.includes(parameter)),
        `${operationId} ${name}`,
      );
    }
  }
  assert.ok(pages >= 7);
  const accepted = document.paths['/v1/events']?.post?.responses[202];
  assert.equal(Object.keys((accepted && responseOf(document, accepted).links) ?? {}), ['ReadBack']);
});

test('the life that an event may have is the one that the operator has set', () => {
  const lifeOf = (given: Parameters<typeof describedApi>[0]) => {
    const { properties } = describedApi(given).components.schemas.PostedEvent ?? {};
    return (properties as Record<string, Schema> | undefined)?.expires_in;
  };
  assert.is(lifeOf({})?.maximum, 86_400);
  assert.is(lifeOf({ delivery: { ttlMs: 3_600_500 } })?.maximum, 3_600);
  assert.is(lifeOf({})?.minimum, 60);
});

test('cursors, times and addresses say which form they have', () => {
  for (const [, , { operationId, parameters = [] }] of operationsOf(document)) {
    for (const { name, schema } of parameters) {
      if (['since', 'until', 'before', 'after'].includes(name)) assert.type(schema.pattern, 'string', operationId);
      if (name === 'email') assert.is(schema.format, 'email', operationId);
    }
  }
  const { properties } = document.components.schemas.MemberRequest ?? {};
  assert.is((properties as Record<string, Schema> | undefined)?.email?.format, 'email');
});

test('the default of a field of a body stands in its text alone: clients would send it, or have it required', () => {
  const { HeartbeatRequest, DeviceRegistration } = document.components.schemas;
  const iosOnly = fieldOf(DeviceRegistration, 'environment');
  assert.equal([iosOnly?.default, /Default: `production`\.$/.test(`${iosOnly?.description}`)], [undefined, true]);
  const notWithCron = fieldOf(HeartbeatRequest, 'every');
  assert.equal([notWithCron?.default, /Default: `86400`\.$/.test(`${notWithCron?.description}`)], [undefined, true]);
});

test('level and urgency of an event have no fixed default, as a key may have its own', () => {
  const { PostedEvent } = document.components.schemas;
  for (const name of ['level', 'delivery_urgency']) {
    const description = String(fieldOf(PostedEvent, name)?.description);
    assert.match(description, 'of the API key, else');
    assert.not.match(description, 'Default:');
  }
});

test('the size of a page is a whole number', () => {
  const sizes = operationsOf(document).flatMap(([, , { operationId, parameters = [] }]) =>
    parameters.filter(({ name }) => name === 'limit').map(({ schema }) => [operationId, schema] as const),
  );
  assert.ok(sizes.length > 0);
  for (const [operation, schema] of sizes) {
    // Each event of a member takes a look at their devices.
    const maximum = operation === 'listMemberEvents' ? 50 : 100;
    assert.equal(schema, { type: 'integer', minimum: 1, maximum }, operation);
  }
});

test('every error code stands in the documents with what to do about it', () => {
  const coded = Object.entries(API_ERRORS).filter(([, { status }]) => status !== 404);
  const page = readFileSync(packagePath('docs/errors.md'), 'utf8');
  const rows = coded.map(([code, error]) => {
    const { status, message, advice = '' } = error as { status: number; message: string; advice?: string };
    assert.ok(advice.endsWith('.'), `${code} says nothing of what to do`);
    return { status, row: `| ${status} | \`${code}\` | ${message.replaceAll('<', '\\<')} | ${advice} |` };
  });
  rows.sort((a, b) => a.status - b.status);
  const table = ['| Status | `code` | Means | Do |', '|---|---|---|---|', ...rows.map(({ row }) => row)].join('\n');
  assert.match(page, `\n\n${table}\n`);
  assert.match(readFileSync(packagePath('README.md'), 'utf8'), '(docs/errors.md)');
});

test('the page on versions says what is to be retired', () => {
  const page = readFileSync(packagePath('docs/versioning.md'), 'utf8').replaceAll(/\s+/g, ' ');
  for (const word of ['`deprecated`', '`Deprecation`', '`Sunset`', 'twelve months', '`Retry-After`', '`next` alone']) {
    assert.match(page, word);
  }
  assert.match(readFileSync(packagePath('README.md'), 'utf8'), '(docs/versioning.md)');
});

test('the description and the README lead to the page for app developers', () => {
  const app = document.tags.find(({ name }) => name === 'App');
  assert.match(String(app?.description), 'docs/apps.md');
  assert.match(readFileSync(packagePath('README.md'), 'utf8'), '(docs/apps.md)');
  assert.ok(existsSync(packagePath('docs/apps.md')));
});

test('every kind of change, and every key of a push, stands in the page for app developers', () => {
  const page = readFileSync(packagePath('docs/apps.md'), 'utf8');
  const { kind } = readSchema('change').properties as { kind: { enum: string[] } };
  const { data } = readSchema('payload-fcm').properties as { data: { properties: object } };
  for (const word of [...kind.enum, ...Object.keys(data.properties)]) {
    assert.match(page, `\`${word}\``);
  }
});

test('limits and retention of this installation are described in words', () => {
  const { description } = describedApi({
    limits: { burstPerMinute: 7, connectionPerMinute: 3 },
    retention: { eventsMs: 86_400_000, deliveriesMs: 5_400_000, maxSizeBytes: 1_048_576 },
  }).info;
  assert.match(description, 'may post 7 times in any 60 seconds');
  assert.match(description, 'may test 3 connections in any 60 seconds');
  assert.match(description, 'kept for 1 day, the deliveries of each device for 90 minutes. If the data outgrows');
  assert.not.match(document.info.description, 'the oldest go earlier');
});

test('the identifiers of an event in an example are written forms of one another', () => {
  const files = readdirSync(packagePath('schemas')).map((file) => readSchema(file.slice(0, -'.json'.length)));
  const examples = JSON.stringify(files.map((schema) => schema.examples ?? []));
  const pairs = [...examples.matchAll(/"public_id":"(\w+)","event_uuid":"([\w-]+)"/g)];
  assert.ok(pairs.length > 0);
  for (const [, publicId = '', uuid = ''] of pairs) assert.is(publicId, publicIdOf(uuid));
});

test.run();

/** The fields of a type within a schema. */
function defined(schema: string, name: string): Schema {
  const { [name]: type } = readSchema(schema).$defs as Record<string, { readonly properties: Schema }>;
  return type?.properties ?? {};
}

/** Each keyword of the document with its value, at any depth. Examples, and the names of fields, are none. */
function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  return (schema?.properties as Record<string, Schema> | undefined)?.[name];
}

function* entriesOf(node: unknown): Generator<{ readonly key: string; readonly value: unknown }> {
  if (Array.isArray(node)) for (const item of node) yield* entriesOf(item);
  if (!isObject(node)) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'example' || key === 'examples') continue;
    yield { key, value };
    if (key === 'properties' && isObject(value)) {
      for (const property of Object.values(value)) yield* entriesOf(property);
    } else yield* entriesOf(value);
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
