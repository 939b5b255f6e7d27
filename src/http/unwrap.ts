import { inEnglish } from '../contract/details.ts';
import type { ApiErrorCode } from '../contract/errors.ts';
import { unreachable } from '../push.ts';
import { isRefusal, type Refusal } from '../store/calls.ts';
import { ApiError, fieldError, overloaded } from './errors.ts';

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
