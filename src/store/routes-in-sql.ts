import { ROUTES } from '../push.ts';

/** For `route IN (…)`: all of them, so that an index which begins with the route serves. */
export const ROUTES_IN_SQL = ROUTES.map((route) => `'${route}'`).join(', ');
