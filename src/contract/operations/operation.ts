import type { Scope } from '../../push.ts';
import type { ApiErrorCode } from '../errors.ts';
import type { HEADERS } from '../openapi/headers.ts';
import type { Schema } from '../schemas.ts';

/**
 * An operation's address and description. Examples come from the schemas and the messages of errors; path parameters
 * have their own.
 */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the base address. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Scopes of API keys, one of which suffices. */
  readonly scopes?: readonly Scope[];
  /**
   * The session token that it takes, as Bearer or cookie: any user's, or that of an owner or admin of the path's
   * workspace.
   */
  readonly session?: 'any' | 'managers';
  /** Takes the token of the path's device. */
  readonly device?: true;
  /** Header fields, and path parameters that differ from `PATH_PARAMETERS`. */
  readonly parameters?: readonly Parameter[];
  /**
   * The query's schema, and the properties read (with an API key fewer). Others are rejected; without a schema, a query
   * is ignored.
   */
  readonly query?: { readonly schema: string; readonly reads: readonly string[]; readonly withKey?: readonly string[] };
  /** A schema's name, as in `answers`. */
  readonly body?: string;
  /** A missing body is an empty object. */
  readonly bodyIsOptional?: true;
  readonly answers: Readonly<Record<number, Success>>;
  readonly errors: readonly OperationError[];
  /** Whether responses show the remaining limit. */
  readonly limited?: true;
  /** At the server's root, outside of the base address. */
  readonly isOutsideBase?: true;
  /** Exempt from the limit on requests in flight. */
  readonly always?: true;
  /**
   * Never compressed: a secret stands beside texts that others choose, so the size would reveal it
   * (https://www.breachattack.com).
   */
  readonly uncompressed?: true;
  /** The store's call, if the server only forwards. */
  readonly forwards?: Forward;
}

/**
 * A store call with path, query, body and caller as arguments. http/query.ts converts times (`since`, `until`,
 * `expires_at`).
 */
export interface Forward {
  readonly call: string;
  /** The response's field for the answer, beside a list's `next`. Absent: all of it. */
  readonly as?: string;
  /** The fields of the answer that the response has. Absent: all. An answer that was not `created` is a 200. */
  readonly shows?: readonly string[];
  /** Arguments named differently from path or query. */
  readonly named?: Readonly<Record<string, string>>;
  /** A secret made by the server and shown once (http/issuing.ts). */
  readonly issues?:
    | 'key'
    | 'next_key'
    | 'webhook_secret'
    | 'next_webhook_secret'
    | 'pairing_code'
    | 'own_pairing_code'
    | 'device_token';
  /** The parameter that is a position in a list. Clients get positions sealed, as `next` (http/auth/own-seal.ts). */
  readonly sealed?: 'before' | 'after';
  /**
   * The caller's argument.
   * - `session`: a person's id and the session's hash
   * - `email`: their address
   * - `workspace`: the managed workspace
   * - `reach`: a key's reach
   * - absent: a person's id, nothing for managers, a key's reach
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
  /** Further operations by name. Lists link to the next page themselves. */
  readonly links?: Readonly<Record<string, Link>>;
}

/** A linked operation, with OpenAPI runtime expressions for its parameters. */
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
/** Errors of calls by key or session. */
export const ANY_CALLER = [...ANY_REQUEST, ...ANY_KEY, 'not_signed_in', 'cross_site'] as const;
export const ANY_MANAGER = [...ANY_SESSION, 'role_too_low', 'workspace_not_found'] as const;
/** Changes count against the person who makes them. */
export const ANY_CHANGE = [...ANY_SESSION, 'change_throttled'] as const;
export const ANY_MANAGED_CHANGE = [...ANY_MANAGER, 'change_throttled'] as const;
/**
 * Errors of changes that make lasting rights or destroy something. Browsers need a fresh proof for them, once in ten
 * minutes. The server finds these operations by the error.
 */
export const ANY_PROVEN_CHANGE = [...ANY_CHANGE, 'confirm_identity'] as const;
export const ANY_CONFIRMED_CHANGE = [...ANY_MANAGED_CHANGE, 'confirm_identity'] as const;
/** A proof: password, passkey or pairing code. */
export const ANY_PROOF = [
  'wrong_password',
  'wrong_passkey',
  'wrong_pairing_code',
  'provider_only',
  'sign_in_throttled',
  'pairing_throttled',
] as const;
export const ANY_BODY = ['payload_too_large', 'unsupported_encoding', 'invalid_fields'] as const;

export const READ_LIMIT = 'Reading has its own limit, as high as the limit for posting.';

export const NO_FILTERS = { schema: 'page-query', reads: [] } as const;

/** From the answer to a posted event. */
export const READ_BACK: Readonly<Record<string, Link>> = {
  ReadBack: {
    operationId: 'getEvent',
    description: 'The progress of its deliveries, with a key that has `events:read`.',
    parameters: { public_id: '$response.body#/event/public_id' },
  },
};
/** Links for owners and admins, by device. */
export const READ_TIMELINE: Readonly<Record<string, Link>> = {
  ReadTimeline: {
    operationId: 'showWorkspaceEvent',
    description: 'Its delivery to each device.',
    parameters: { workspace: '$request.path.workspace', public_id: '$response.body#/event/public_id' },
  },
};

/** Defaults of path parameters; `parameters` overrides them. */
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
  override: {
    description: 'Id of an override.',
    pattern: '^ovr_[0-9a-hjkmnp-tv-z]{16}$',
    example: 'ovr_7m3q0f9t2xkd4w6z',
  },
  passkey: { description: 'Id of one of your passkeys.', example: '5f1c0a9b33de' },
  public_id: {
    description: 'Public id of an event.',
    pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$',
    example: 'evt_01m7yq1whvehx9w1n0h5r0c6ct',
  },
  rota: { description: 'Slug of a rota.', example: 'payments' },
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

export function signedIn<const M extends Method, const P extends string>(method: M, path: P) {
  return { method, path, session: 'any' } as const;
}

export function managers<const M extends Method, const P extends string>(method: M, path: P) {
  return { method, path, session: 'managers' } as const;
}

/** Returns parameters in the path's order, then header fields. */
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
