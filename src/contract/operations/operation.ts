import type { ApiErrorCode } from '../errors.ts';

/** One operation of the API, as far as its description needs it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the base address. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Scope of the API key that it takes. */
  readonly scope?: string;
  /** Takes a session token: of anybody, or of an owner or admin of the workspace in the path. */
  readonly session?: 'anybody' | 'managers';
  readonly parameters?: readonly object[];
  /** Name of a schema, as are those of `answers`. */
  readonly body?: string;
  /** Without one it is as with an empty object. */
  readonly bodyIsOptional?: true;
  readonly answers: Readonly<Record<number, Success>>;
  readonly errors: readonly (ApiErrorCode | 'invalid_fields')[];
  /** Whether it tells how much of its limit is left, once it has counted the request. */
  readonly limited?: true;
  /** Stands beside the base address, not below it. */
  readonly beside?: true;
}

export interface Success {
  readonly is: string;
  /** A 204 has none. */
  readonly schema?: string;
  readonly replay?: true;
}

export const ANY_REQUEST = [
  'invalid_request',
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
export const ANY_SESSION = [...ANY_REQUEST, 'not_signed_in', 'unavailable'] as const;
export const ANY_MANAGER = [...ANY_SESSION, 'role_too_low', 'workspace_not_found'] as const;
export const ANY_BODY = ['payload_too_large', 'invalid_fields'] as const;

export const PUBLIC_ID = pathParameter('public_id', { type: 'string', pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$' });
export const WORKSPACE = pathParameter('workspace', { type: 'string', description: 'Slug of a workspace.' });

export function pathParameter(name: string, schema: object = { type: 'string' }): object {
  return { name, in: 'path', required: true, schema };
}

export function queryParameter(name: string, description: string): object {
  return { name, in: 'query', required: false, description, schema: { type: 'string' } };
}
