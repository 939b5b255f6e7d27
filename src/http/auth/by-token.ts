import { errorDetail } from '../../contract/details.ts';
import { isLikeSessionToken } from '../../contract/session-token.ts';
import { ApiError } from '../errors.ts';
import type { Handler } from '../request-state.ts';
import type { HttpResponse } from '../response.ts';
import { bearerOf } from './api-key.ts';
import { sessionCookiesOf } from './session-cookie.ts';

interface ByToken<S extends HttpResponse, K extends HttpResponse> {
  readonly session: Handler<S>;
  readonly key: Handler<K>;
}

/** Chooses the view for people or integrators by token. Browsers have a cookie. */
export function byToken<S extends HttpResponse, K extends HttpResponse>({
  session,
  key,
}: ByToken<S, K>): Handler<S | K> {
  const asPerson: Handler<S> = (context) => {
    context.state.isForPeople = true;
    return session(context);
  };
  return (context) => {
    const { authorization } = context.req.headers;
    if (authorization === undefined && sessionCookiesOf(context.req).length > 0) return asPerson(context);
    const token = bearerOf(authorization);
    if (token === '') throw new ApiError('unauthenticated', { detail: errorDetail('needs_token') });
    return isLikeSessionToken(token) ? asPerson(context) : key(context);
  };
}
