import { type FieldProblem, fieldProblem } from '../details.ts';
import { type AddressRules, isMatch, TOKEN_FIELDS } from './address.ts';

/** Apple: "do not assume a size"; now 64 digits. Hex, since it becomes part of a path. */
const APNS_TOKEN = /^(?:[0-9a-f]{2}){8,100}$/i;

/** iOS devices: tokens of either of Apple's environments. */
export const apnsAddresses: AddressRules = {
  defaultName: 'iOS device',
  distinctLength: 24,
  fields: [...TOKEN_FIELDS, 'app'],

  problems({ environment = 'production', tokenKind = 'token', token, app, subscription }, { apps }) {
    const problems: FieldProblem[] = [];
    if (environment !== 'production' && environment !== 'sandbox') {
      problems.push(fieldProblem('environment', 'one_of', { values: ['production', 'sandbox'] }));
    }
    if (tokenKind !== 'token') {
      problems.push(fieldProblem('token_kind', 'token_kind'));
    }
    if (token === undefined) {
      problems.push(fieldProblem('token', 'required'));
    } else if (!isMatch(APNS_TOKEN, token)) {
      problems.push(fieldProblem('token', 'apns_token'));
    }
    if (app !== undefined && !apps.includes(app)) problems.push(appProblem(apps));
    if (subscription !== undefined) problems.push(fieldProblem('subscription', 'browsers_only'));
    return problems;
  },

  /** Apple ignores the case of hex digits. */
  stored: ({ token = '', environment = 'production', app }) => ({
    route: environment === 'sandbox' ? 'apns_sandbox' : 'apns_production',
    environment,
    token: token.toLowerCase(),
    tokenKind: 'token',
    keys: app === undefined ? null : JSON.stringify({ app }),
  }),

  pushService: () => null,
  app: appIn,

  given({ token, keys }) {
    const app = appIn(keys);
    return { token, ...(app !== null && { app }) };
  },
};

/** null: unnamed, so the operator's first app. */
export function appIn(keys: string | null): string | null {
  return keys === null ? null : (JSON.parse(keys) as { readonly app: string }).app;
}

function appProblem(apps: readonly string[]): FieldProblem {
  return apps.length === 0 ? fieldProblem('app', 'no_apps') : fieldProblem('app', 'app', { values: apps });
}
