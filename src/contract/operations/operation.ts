import type { Scope } from '../../push.ts';
import type { ApiErrorCode } from '../errors.ts';
import type { HEADERS } from '../openapi/headers.ts';
import type { Schema } from '../schemas.ts';

/**
 * An operation of the API: its address and description. Examples of requests and responses are the `examples` of their
 * schemas, and examples of errors are the messages of the list. A path parameter has its own example; a query parameter
 * is a property of a schema.
 */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the base address. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Scopes of the API keys that it takes: one of them is enough. */
  readonly scopes?: readonly Scope[];
  /** Takes a session token, as Bearer or cookie: of any user, or of an owner or admin of the workspace in the path. */
  readonly session?: 'any' | 'managers';
  /** Takes the token of the device in the path. */
  readonly device?: true;
  /** Header fields, and parameters of the path that are not what `PATH_PARAMETERS` says. */
  readonly parameters?: readonly Parameter[];
  /**
   * The schema of the query, and which of its properties this operation reads: all of them, or with an API key fewer.
   * What it does not read is refused. Without one, a query means nothing and is ignored.
   */
  readonly query?: { readonly schema: string; readonly reads: readonly string[]; readonly withKey?: readonly string[] };
  /** Name of a schema, as are those of `answers`. */
  readonly body?: string;
  /** A missing body counts as an empty object. */
  readonly bodyIsOptional?: true;
  readonly answers: Readonly<Record<number, Success>>;
  readonly errors: readonly OperationError[];
  /** Whether its responses say how much of its limit is left. */
  readonly limited?: true;
  /** At the root of the server, not under the base address. */
  readonly isOutsideBase?: true;
  /** Not counted against the limit on requests in flight. */
  readonly always?: true;
  /**
   * Its answers are never compressed: they have a secret beside texts that others choose, to whom the size of both
   * compressed would give the secret away (https://www.breachattack.com).
   */
  readonly uncompressed?: true;
  /** How the server carries it out, if it only passes the request on to its store and shows the answer. */
  readonly forwards?: Forward;
}

/**
 * A call of the store with the fields of path, query and body as its arguments, and with the caller. A time in them
 * (`since`, `until`, `expires_at`) is an argument of its own (http/times.ts).
 */
export interface Forward {
  readonly call: string;
  /** The field of the response that shows the answer, beside `next` if it is a list. Absent: the answer is the response. */
  readonly as?: string;
  /** The fields of the answer that the response has. Absent: all. One that was not `created` is a 200. */
  readonly shows?: readonly string[];
  /** The arguments that parts of the path and parameters of the query are, if their names differ. */
  readonly named?: Readonly<Record<string, string>>;
  /** A secret that the server makes for it, and shows once (http/issuing.ts). */
  readonly issues?:
    | 'key'
    | 'next_key'
    | 'webhook_secret'
    | 'next_webhook_secret'
    | 'pairing_code'
    | 'own_pairing_code'
    | 'device_token';
  /** The parameter that is a position in a list, which clients get sealed, as `next` (http/sealed-positions.ts). */
  readonly sealed?: 'before' | 'after';
  /**
   * The argument that stands for the caller. `session`: a person's id and the hash of the session; `email`: their
   * address; `workspace`: the id of the workspace that they manage; `reach`: what a key reaches, as one argument. Absent: a
   * person's id, none of a manager, and of a key what it reaches.
   */
  readonly caller?: 'session' | 'email' | 'workspace' | 'reach';
}

export type OperationError = ApiErrorCode | 'invalid_fields';

export interface Success {
  readonly is: string;
  /** A 204 and a 304 have none. */
  readonly schema?: string;
  /** Not JSON, but events whose data are that. */
  readonly streams?: true;
  /** Replaces the schema's own examples. */
  readonly example?: unknown;
  readonly headers?: readonly (keyof typeof HEADERS)[];
  /** Links to further operations, by names. Lists link to their next page without an entry here. */
  readonly links?: Readonly<Record<string, Link>>;
}

/** An operation, and what of the answer or the request its parameters are (runtime expressions of OpenAPI). */
export interface Link {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: string;
}

export const ANY_REQUEST = [
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'overloaded',
] as const;
export const ANY_KEY = [
  'unauthenticated',
  'key_revoked',
  'key_expired',
  'missing_scope',
  'workspace_inactive',
  'unavailable',
] as const;
export const ANY_SESSION = [...ANY_REQUEST, 'not_signed_in', 'cross_site', 'unavailable'] as const;
/** Errors of a call by an API key or a person's session. */
export const ANY_CALLER = [...ANY_REQUEST, ...ANY_KEY, 'not_signed_in', 'cross_site'] as const;
export const ANY_MANAGER = [...ANY_SESSION, 'role_too_low', 'workspace_not_found'] as const;
/** Changes count against the person who makes them. */
export const ANY_CHANGE = [...ANY_SESSION, 'change_throttled'] as const;
export const ANY_MANAGED_CHANGE = [...ANY_MANAGER, 'change_throttled'] as const;
/**
 * Errors of changes that make lasting rights or destroy something. Browsers need a fresh proof for them, once in ten
 * minutes. The server takes its list from the operations with this error.
 */
export const ANY_PROVEN_CHANGE = [...ANY_CHANGE, 'confirm_identity'] as const;
export const ANY_CONFIRMED_CHANGE = [...ANY_MANAGED_CHANGE, 'confirm_identity'] as const;
/** Shows who is there, by a password, a passkey or a pairing code. */
export const ANY_PROOF = [
  'wrong_password',
  'wrong_passkey',
  'wrong_pairing_code',
  'provider_only',
  'sign_in_throttled',
  'pairing_throttled',
] as const;
export const ANY_BODY = ['payload_too_large', 'unsupported_encoding', 'invalid_fields'] as const;

/** Describes the limit of operations that read with a key. */
export const READ_LIMIT = 'Reading has its own limit, as high as the limit for posting.';

/** The query of a list that has no filters. */
export const NO_FILTERS = { schema: 'page-query', reads: [] } as const;

/** From the answer to a posted event. */
export const READ_BACK: Readonly<Record<string, Link>> = {
  ReadBack: {
    operationId: 'getEvent',
    description: 'The progress of its deliveries, with a key that has `events:read`.',
    parameters: { public_id: '$response.body#/event/public_id' },
  },
};
/** The same for owners and admins, device by device. */
export const READ_TIMELINE: Readonly<Record<string, Link>> = {
  ReadTimeline: {
    operationId: 'showWorkspaceEvent',
    description: 'Its delivery to each device.',
    parameters: { workspace: '$request.path.workspace', public_id: '$response.body#/event/public_id' },
  },
};

/** The parameters of paths, unless an operation's `parameters` say otherwise. */
const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  channel: { description: 'Slug of a channel.', example: 'deploys' },
  device: { description: 'Id of a device.', example: 'dev_7m3q0f9t2xkd4w6z' },
  email: { description: 'Email address of a member.', format: 'email', example: 'ada@example.com' },
  heartbeat: { description: 'Slug of a heartbeat.', example: 'backup' },
  key: { description: 'Id of an API key.', example: '7m3q0f9t2xkd' },
  maintenance: {
    description: 'Id of a maintenance window.',
    pattern: '^mnt_[0-9a-hjkmnp-tv-z]{16}$',
    example: 'mnt_7m3q0f9t2xkd4w6z',
  },
  passkey: { description: 'Id of one of your passkeys.', example: '5f1c0a9b33de' },
  public_id: {
    description: 'Public id of an event.',
    pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$',
    example: 'evt_01m7yq1whvehx9w1n0h5r0c6ct',
  },
  session: { description: 'Id of one of your sessions.', example: '5f1c0a9b33de' },
  webhook: {
    description: 'Id of a webhook.',
    pattern: '^whk_[0-9a-hjkmnp-tv-z]{16}$',
    example: 'whk_7m3q0f9t2xkd4w6z',
  },
  workspace: { description: 'Slug of a workspace.', example: 'acme' },
};

export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same as the field `idempotency_key`. If both are sent, they must not differ. An empty header counts as absent.',
  schema: { type: 'string', maxLength: 255 },
  example: 'run-1842',
};

interface PathParameter {
  readonly description: string;
  readonly pattern?: string;
  readonly format?: 'email';
  readonly example: string;
}

type Method = Operation['method'];

/** An operation for any signed-in user. */
export function signedIn<const M extends Method, const P extends string>(method: M, path: P) {
  return { method, path, session: 'any' } as const;
}

/** An operation for owners and admins of the workspace in the path. */
export function managers<const M extends Method, const P extends string>(method: M, path: P) {
  return { method, path, session: 'managers' } as const;
}

/** Parameters of the path, in its order, and header fields. */
export function parametersOf({ path, parameters = [] }: Operation): readonly Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const known = parameters.find((parameter) => parameter.name === name) ?? PATH_PARAMETERS[name];
    if (known === undefined) throw new Error(`${path}: PATH_PARAMETERS does not describe ${name}`);
    return 'in' in known ? known : pathParameter(name, known);
  });
  return [...inPath, ...parameters.filter((parameter) => parameter.in === 'header')];
}

export function pathParameter(name: string, { description, example, ...rules }: PathParameter): Parameter {
  const schema = { type: 'string', ...rules };
  return { name, in: 'path', required: true, description, schema, example };
}
