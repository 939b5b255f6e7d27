import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type ApiSettings, openApiDocument } from '../../src/contract/openapi.ts';
import { readSchema, type Schema } from '../../src/contract/schemas.ts';
import { madeOnceSync } from './made-once.ts';

/** The description of a server that tests start. */
export const INSTALLATION: ApiSettings = {
  baseUrl: 'http://127.0.0.1:0/api',
  limits: { burstPerMinute: 60, connectionPerMinute: 30 },
  retention: { eventsMs: 7_776_000_000, deliveriesMs: 604_800_000, maxSizeBytes: null },
  delivery: { ttlMs: 86_400_000 },
};

export interface Described {
  readonly info: { readonly description: string; readonly license: object };
  readonly servers: readonly unknown[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Path>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}
interface Path {
  readonly servers?: readonly unknown[];
  readonly get?: Operation;
  readonly put?: Operation;
  readonly post?: Operation;
  readonly patch?: Operation;
  readonly delete?: Operation;
}
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
  readonly example?: unknown;
}
interface Reference {
  readonly $ref: string;
}
interface Response {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Content;
  readonly links?: Readonly<Record<string, { operationId: string; parameters: Record<string, string> }>>;
}
type Content = Readonly<Record<string, MediaType>>;
interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Checked {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** The description of the API, as a test server gives it or with something else in it. */
export function describedApi(installation: Partial<ApiSettings> = {}, form?: { readonly isFlat: boolean }): Described {
  return openApiDocument({ ...INSTALLATION, ...installation }, form) as unknown as Described;
}

/** `get`, `/v1/usage`, and what is said of it: for every operation of a description. */
export function operationsOf({ paths }: Described): readonly (readonly [string, string, Operation])[] {
  return Object.entries(paths).flatMap(([path, { servers: _, ...operations }]) =>
    Object.entries(operations).map(([method, operation]) => [method, path, operation] as const),
  );
}

/** A response itself, where a reference may stand in its place. */
export function responseOf({ components }: Described, response: Response | Reference): Response {
  if (!('$ref' in response)) return response;
  const shared = components.responses[response.$ref.slice('#/components/responses/'.length)];
  if (shared === undefined) throw new Error(`${response.$ref} leads nowhere`);
  return shared;
}

/** Most files check answers, and to describe the API takes a fifth of what they load. */
let known: Described | undefined;

function description(): Described {
  known ??= JSON.parse(readFileSync(madeOnceSync('openapi.json', writeDescription), 'utf8'));
  return known as Described;
}

function writeDescription(path: string): void {
  writeFileSync(path, JSON.stringify(closed(describedApi({}, { isFlat: false }))));
}

/**
 * The description with each object closed and alternatives told apart, like its schema in `schemas/`. The published one
 * lets answers gain fields, and a test has to see a field that the description lacks.
 */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T;
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, closed(field)]));
  const isSchema = inner.type === 'object' && inner.properties !== undefined;
  return (isSchema && !inner.required?.includes('openapi') ? { additionalProperties: false, ...inner } : inner) as T;
}

/** Throws where an answer is not as the API's own description says, or has a field that it does not know. */
export function checkAnswer(method: string, path: string, answer: Checked): void {
  const where = `${method} ${path} ${answer.status}`;
  const template = templateOf(path);
  const operation = template === undefined ? undefined : description().paths[template]?.[method.toLowerCase() as 'get'];
  if (operation === undefined) {
    checkUnlisted(where, answer);
    return;
  }
  const response = operation.responses[answer.status];
  if (response === undefined) throw new Error(`${where} is not described: ${JSON.stringify(answer.body)}`);
  const { headers, content } = responseOf(description(), response);
  if (content !== undefined) {
    const shared = '$ref' in response ? response.$ref.split('/').slice(1) : null;
    const place = shared ?? ['paths', template ?? '', method.toLowerCase(), 'responses', String(answer.status)];
    check(where, validatorOf(...place, 'content', 'application/json', 'schema'), answer.body);
  } else if (answer.headers['content-type'] !== undefined) throw new Error(`${where} has a body`);
  for (const name of Object.keys(headers)) checkHeader(where, name, answer.headers);
}

function templateOf(path: string): string | undefined {
  const pathname = path.replace(/[?#].*$/, '').replace(/^\/api\//, '/');
  return Object.keys(description().paths).find((template) => {
    return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  });
}

/** Checks that requests of no operation are answered 404, 405, or 400 if the request was broken altogether. */
function checkUnlisted(where: string, { status, body, headers }: Checked): void {
  check(where, status === 404 ? validatorOf('components', 'schemas', 'NotFound') : isError(), body);
  if (status === 405 && headers.allow === undefined) throw new Error(`${where} without Allow`);
  if (headers['x-request-id'] === undefined) throw new Error(`${where} without X-Request-Id`);
}

function checkHeader(where: string, name: string, headers: IncomingHttpHeaders): void {
  const header = description().components.headers[name];
  const value = headers[name.toLowerCase()];
  if (value === undefined && header?.required) throw new Error(`${where} without ${name}`);
  if (value === undefined) return;
  const [text] = [value].flat();
  const typed = header?.schema.type === 'integer' ? Number(text) : text;
  check(`${where} ${name}`, validatorOf('components', 'headers', name, 'schema'), typed);
}

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  allErrors: true,
  inlineRefs: false,
  code: { optimize: false },
});
/** An error without `details`, which belong to operations. */
const isError = () => {
  const { properties, ...schema } = readSchema('error');
  const { details: _, ...others } = properties as Record<string, Schema>;
  return ajv.getSchema('error') ?? ajv.compile({ ...schema, properties: others, $id: 'error' });
};
const validators = new Map<string, ValidateFunction>();

/** Compiles the schema at this place of the description, with its references alone. */
function validatorOf(...place: readonly string[]): ValidateFunction {
  const name = place.join(' ');
  const known = validators.get(name);
  if (known !== undefined) return known;
  const schema = place.reduce<unknown>((at, key) => (at as Schema | undefined)?.[key], description());
  if (schema === undefined) throw new Error(`there is no ${place.join('/')}`);
  const validate = ajv.compile({ ...(schema as Schema), components: { schemas: referredTo(schema) } });
  validators.set(name, validate);
  return validate;
}

/** The shared schemas that one refers to, and those that these do, by their names. */
function referredTo(schema: unknown, found: Record<string, Schema> = {}): Readonly<Record<string, Schema>> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    const shared = description().components.schemas[name];
    if (shared === undefined) throw new Error(`there is no schema ${name}`);
    if (found[name] !== undefined) continue;
    found[name] = shared;
    referredTo(shared, found);
  }
  return found;
}

function check(where: string, validate: ValidateFunction, value: unknown): void {
  if (!validate(value)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
}
