import {
  type ErrorDetail,
  errorDetail,
  type FieldProblem,
  inEnglish,
  type Params,
  type SentenceCode,
} from '../contract/details.ts';
import { API_ERRORS, type ApiErrorCode } from '../contract/errors.ts';
import { type InvalidFields, invalidFields } from '../contract/fields.ts';
import { unreachable } from '../push.ts';
import { isRefusal, type Refusal, RightsLost, StoreUnavailable } from '../store/calls.ts';
import type { HttpResponse } from './response.ts';

interface ApiErrorOptions {
  /** More precise than the code. */
  readonly detail?: ErrorDetail;
  /** Sent in seconds, rounded up, from 1 to 86400. */
  readonly retryAfterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly detail: ErrorDetail;
  readonly options: ApiErrorOptions;
  constructor(code: ApiErrorCode, options: ApiErrorOptions = {}) {
    const { detail = { code, params: {} } } = options;
    super(inEnglish(detail));
    this.name = 'ApiError';
    this.code = code;
    this.detail = detail;
    this.options = options;
  }
}

/** Returns the error for a lack of room, which may end in a second. */
export function overloaded(detail?: ErrorDetail): ApiError {
  return new ApiError('overloaded', { ...(detail && { detail }), retryAfterMs: OVERLOADED_RETRY_MS });
}

export function invalidRequest<Code extends SentenceCode>(code: Code, ...params: Params<Code>): ApiError {
  return new ApiError('invalid_request', { detail: errorDetail(code, ...params) });
}

export class FieldsError extends Error {
  readonly problem: InvalidFields;
  constructor(problem: InvalidFields) {
    super('the fields of a request are not valid');
    this.name = 'FieldsError';
    this.problem = problem;
  }
}

export function fieldError(problem: FieldProblem): FieldsError {
  return new FieldsError(invalidFields([problem]));
}

const OVERLOADED_RETRY_MS = 1_000;
const UNAVAILABLE_RETRY_MS = 5_000;
const MAX_RETRY_S = 86_400;

const EXPECTED = [ApiError, FieldsError, RightsLost, StoreUnavailable];

/** Turns errors into responses, for people with `details`. Unexpected ones become a 500 without a reason. */
export function errorResponse(error: unknown, isForPeople = false): HttpResponse {
  if (error instanceof FieldsError) {
    const { details, ...problem } = error.problem;
    return { status: 422, body: isForPeople ? { ...problem, details } : problem };
  }
  return apiErrorResponse(apiErrorOf(error), isForPeople);
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RightsLost) return new ApiError(error.lost);
  if (!(error instanceof StoreUnavailable)) return new ApiError('internal_error');
  const code = error.reason === 'overloaded' ? 'overloaded' : 'unavailable';
  return new ApiError(code, { retryAfterMs: UNAVAILABLE_RETRY_MS });
}

export function isSignedOut(error: unknown): boolean {
  if (error instanceof RightsLost) return error.lost === 'not_signed_in';
  return error instanceof ApiError && error.code === 'not_signed_in';
}

export function isUnexpected(error: unknown): boolean {
  return !EXPECTED.some((kind) => error instanceof kind);
}

function apiErrorResponse({ code, message, detail, options }: ApiError, isForPeople: boolean): HttpResponse {
  const { status } = API_ERRORS[code];
  return {
    status,
    body: { message, ...(status !== 404 && { code }), ...(isForPeople && { details: [detail] }) },
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

/**
 * Returns the answer, or throws the refusal's error. `missing`: replaces the store's message, which may name others'
 * things.
 */
export function unwrap<T>(answer: T | Refusal, missing: ApiErrorCode): T {
  if (!isRefusal(answer)) return answer;
  const { refused, detail } = answer;
  const known = detail && { detail };
  switch (refused) {
    case 'not_found':
      throw new ApiError(missing);
    case 'forbidden':
      throw new ApiError(answer.code ?? 'role_too_low', known);
    case 'conflict':
      throw new ApiError(answer.code ?? 'conflict', known);
    case 'invalid':
      if (detail?.field === undefined) throw new ApiError('invalid_request', known);
      throw fieldError({ ...detail, field: detail.field, message: inEnglish(detail) });
    case 'busy':
      throw overloaded(detail);
    default:
      return unreachable(refused);
  }
}
