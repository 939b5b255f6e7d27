import { API_ERRORS, type ApiErrorCode } from '../contract/errors.ts';
import type { InvalidFields } from '../contract/fields.ts';
import { RightsLost, StoreUnavailable } from '../store/calls.ts';
import type { HttpResponse } from './response.ts';

export interface ApiErrorOptions {
  readonly message?: string;
  /** Sent in seconds, rounded up, from 1 to 86400. */
  readonly retryAfterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly options: ApiErrorOptions;
  constructor(code: ApiErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? API_ERRORS[code].message);
    this.name = 'ApiError';
    this.code = code;
    this.options = options;
  }
}

/** Returns the error for a lack of room, which may end in a second. */
export function overloaded(message?: string): ApiError {
  return new ApiError('overloaded', { ...(message !== undefined && { message }), retryAfterMs: OVERLOADED_RETRY_MS });
}

export class FieldsError extends Error {
  readonly problem: InvalidFields;
  constructor(problem: InvalidFields) {
    super('the fields of a request are not valid');
    this.name = 'FieldsError';
    this.problem = problem;
  }
}

/** Returns a field's error. `message`: a full sentence naming the field. */
export function fieldError(field: string, message: string): FieldsError {
  return new FieldsError({ message, errors: { [field]: [message] } });
}

const OVERLOADED_RETRY_MS = 1_000;
const UNAVAILABLE_RETRY_MS = 5_000;
const MAX_RETRY_S = 86_400;

const EXPECTED = [ApiError, FieldsError, RightsLost, StoreUnavailable];

/** Turns errors into responses. Unexpected ones become a 500 without details. */
export function errorResponse(error: unknown): HttpResponse {
  if (error instanceof ApiError) return apiErrorResponse(error);
  if (error instanceof FieldsError) return { status: 422, body: error.problem };
  if (error instanceof RightsLost) return apiErrorResponse(new ApiError(error.lost));
  if (error instanceof StoreUnavailable) {
    const code = error.reason === 'overloaded' ? 'overloaded' : 'unavailable';
    return apiErrorResponse(new ApiError(code, { retryAfterMs: UNAVAILABLE_RETRY_MS }));
  }
  return apiErrorResponse(new ApiError('internal_error'));
}

export function isSignedOut(error: unknown): boolean {
  if (error instanceof RightsLost) return error.lost === 'not_signed_in';
  return error instanceof ApiError && error.code === 'not_signed_in';
}

export function isUnexpected(error: unknown): boolean {
  return !EXPECTED.some((kind) => error instanceof kind);
}

function apiErrorResponse({ code, message, options }: ApiError): HttpResponse {
  const { status } = API_ERRORS[code];
  return {
    status,
    body: status === 404 ? { message } : { message, code },
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(options.retryAfterMs !== undefined && { 'Retry-After': retryAfter(options.retryAfterMs) }),
      ...options.headers,
    },
  };
}

function retryAfter(ms: number): string {
  return String(Math.min(Math.max(Math.ceil(ms / 1000), 1), MAX_RETRY_S));
}
