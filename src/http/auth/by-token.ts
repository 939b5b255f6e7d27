import { looksLikeSessionToken } from '../../contract/session-token.ts';
import { ApiError } from '../errors.ts';
import type { Handler } from '../request-state.ts';
import { bearerOf } from './api-key.ts';

/** An address that both people and integrators may ask, each with a view of its own: the kind of token tells who asks. */
export function byToken({ session, key }: { readonly session: Handler; readonly key: Handler }): Handler {
  return (context) => {
    const token = bearerOf(context.req.headers.authorization);
    if (token === '') throw new ApiError('unauthenticated', { message: 'An API key or a session token is missing.' });
    return looksLikeSessionToken(token) ? session(context) : key(context);
  };
}
