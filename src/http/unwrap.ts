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
  const { refused, message, field } = answer;
  switch (refused) {
    case 'not_found':
      throw new ApiError(missing);
    case 'forbidden':
      throw new ApiError(answer.code ?? 'role_too_low', { message });
    case 'conflict':
      throw new ApiError(answer.code ?? 'conflict', { message });
    case 'invalid':
      if (field === undefined) throw new ApiError('invalid_request', { message });
      throw fieldError(field, message);
    case 'busy':
      throw overloaded(message);
    default:
      return unreachable(refused);
  }
}
