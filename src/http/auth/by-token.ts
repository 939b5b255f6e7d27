import { looksLikeSessionToken } from '../../contract/session-token.ts';
import { ApiError } from '../errors.ts';
import type { Handler } from '../request-state.ts';
import { bearerOf } from './api-key.ts';

/** For a path that serves both people and integrators, each with its own view: the kind of token decides. */
export function byToken({ session, key }: { readonly session: Handler; readonly key: Handler }): Handler {
  return (context) => {
    const token = bearerOf(context.req.headers.authorization);
    if (token === '') throw new ApiError('unauthenticated', { message: 'An API key or a session token is missing.' });
    return looksLikeSessionToken(token) ? session(context) : key(context);
  };
}
