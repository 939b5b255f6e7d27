import { API_ERRORS } from '../errors.ts';
import { type Link, type Operation, type OperationError, parametersOf, type Success } from '../operations/operation.ts';
import { readSchema, type Schema } from '../schemas.ts';
import type { Components } from './components.ts';
import type { HEADERS } from './headers.ts';

type HeaderName = keyof typeof HEADERS;

/** Describes all responses. `shared` has failures of many operations. */
export class Responses {
  readonly shared: Record<string, object> = {};
  readonly #components: Components;

  constructor(components: Components) {
    this.#components = components;
  }

  of(operation: Operation): Record<string, object> {
    const { answers, errors, limited = false } = operation;
    const next = nextPage(operation);
    const successes = Object.entries(answers).map(([status, answer]) => {
      const links = { ...answer.links, ...next };
      const success = this.#success(answer, limited);
      return [status, Object.keys(links).length === 0 ? success : { ...success, links }];
    });
    const failures = [...causesByStatus(errors)].map(([status, causes]) => [
      status,
      this.#failure(status, causes, hasLimit(limited, status, causes)),
    ]);
    return Object.fromEntries([...successes, ...failures]);
  }

  #success({ is, schema, headers = [], example, streams }: Success, isLimited: boolean): object {
    const examples = example === undefined ? undefined : [example];
    const content = schema === undefined ? undefined : this.#content(schema, examples, streams);
    const names = [...headers, ...(isLimited ? LIMIT_HEADERS : [])];
    return response(is, names, content, streams ? 'text/event-stream' : JSON_TYPE);
  }

  /** Streams are text, as clients read them. */
  #content(schema: string, examples: readonly unknown[] | undefined, isStream = false): object {
    return isStream && this.#components.isFlat
      ? this.#components.streamOf(schema)
      : this.#components.mediaType(schema, examples);
  }

  /** Makes a status's response, naming all causes. */
  #failure(status: number, causes: readonly OperationError[], hasLimit: boolean): object {
    const hasCode = status !== 404 && status !== 422;
    const description = causes.map((cause) => (hasCode ? `\`${cause}\`: ` : '') + sentencesOf(cause)).join(' ');
    const headers = [...(FAILURE_HEADERS[status] ?? []), ...(hasLimit ? LIMIT_HEADERS : [])];
    const whole = response(description, headers, this.#failureContent(status, causes));
    if (hasLimit) return whole;
    const name = `${nameOf(causes)}Failure`; // Some generators want names that no schema has.
    this.shared[name] = whole;
    return { $ref: `#/components/responses/${name}` };
  }

  #failureContent(status: number, causes: readonly OperationError[]): object {
    if (status === 422) return this.#components.mediaType('invalid-fields');
    const examples = causes.map((cause) => {
      const message = messageOf(cause);
      return [cause, { value: status === 404 ? { message } : { message, code: cause } }];
    });
    const schema =
      status === 404
        ? this.#components.referTo('not-found')
        : this.#components.add(nameOf(causes), this.#withCodes(causes));
    return { schema, examples: Object.fromEntries(examples) };
  }

  #withCodes(codes: readonly OperationError[]): Schema {
    const { type, required } = readSchema('error');
    const [message, code, details] = ['message', 'code', 'details'].map((name) =>
      this.#components.property('error', name),
    );
    return { type, required, properties: { message, code: { ...code, enum: codes }, details } };
  }
}

/** Links a page to the next; clients keep the filters. */
function nextPage(operation: Operation): Readonly<Record<string, Link>> {
  const { operationId, query } = operation;
  const cursor = ['before', 'after'].find((name) => query?.reads.includes(name));
  if (cursor === undefined) return {};
  const place = parametersOf(operation).map(({ name }) => [name, `$request.path.${name}`]);
  return {
    NextPage: {
      operationId,
      description: 'The next page, with the same filters. Absent if `next` is null.',
      parameters: { ...Object.fromEntries(place), [cursor]: '$response.body#/next' },
    },
  };
}

const JSON_TYPE = 'application/json';
const LIMIT_HEADERS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];

/** Statuses with the limit's headers; others precede the count. */
const WITH_LIMIT_HEADERS = [400, 404, 409, 413, 415, 422, 429];

/** Tells whether the response shows a limit; a spent month always does. */
function hasLimit(isLimited: boolean, status: number, causes: readonly OperationError[]): boolean {
  return (isLimited && WITH_LIMIT_HEADERS.includes(status)) || causes.includes('allowance_exhausted');
}

const FAILURE_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  415: ['Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function causesByStatus(errors: readonly OperationError[]): Map<number, OperationError[]> {
  const causes = new Map<number, OperationError[]>();
  for (const cause of errors) {
    const status = cause === 'invalid_fields' ? 422 : API_ERRORS[cause].status;
    causes.set(status, [...(causes.get(status) ?? []), cause]);
  }
  return causes;
}

function messageOf(cause: OperationError): string {
  return cause === 'invalid_fields' ? 'Fields are missing or wrong.' : API_ERRORS[cause].message;
}

function sentencesOf(cause: OperationError): string {
  const { advice }: { advice?: string; status?: number } = cause === 'invalid_fields' ? {} : API_ERRORS[cause];
  return [messageOf(cause), advice].filter((sentence) => sentence !== undefined).join(' ');
}

function response(
  description: string,
  headers: readonly HeaderName[],
  content: object | undefined,
  type = JSON_TYPE,
): object {
  const named = ['X-Request-Id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description,
    headers: Object.fromEntries(named),
    ...(content !== undefined && { content: { [type]: content } }),
  };
}

/** `key_revoked` and `key_expired` → `KeyRevokedOrKeyExpired`. */
function nameOf(causes: readonly OperationError[]): string {
  return causes.join('_or_').replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
