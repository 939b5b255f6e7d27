import type { ApiErrorCode } from '../contract/errors.ts';
import { unreachable } from '../push.ts';
import { isRefusal, type Refusal } from '../store/calls.ts';
import { ApiError, fieldError, overloaded } from './errors.ts';

/**
 * Returns the store's answer, or throws the error that its refusal stands for. `missing`: the error for what was not
 * found, as the store's own message may name what belongs to others.
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
