import {
  type AddressProblem,
  type AddressRules,
  BROWSERS_ONLY,
  eitherOf,
  isMatch,
  required,
  TOKEN_FIELDS,
} from './address.ts';

/** Apple: "do not assume a size"; now 64 digits. Hex, since it becomes part of a path. */
const APNS_TOKEN = /^(?:[0-9a-f]{2}){8,100}$/i;

/** iOS devices: tokens of either of Apple's environments. */
export const apnsAddresses: AddressRules = {
  defaultName: 'iOS device',
  distinctLength: 24,
  fields: [...TOKEN_FIELDS, 'app'],

  problems({ environment = 'production', tokenKind = 'token', token, app, subscription }, { apps }) {
    const problems: AddressProblem[] = [];
    if (environment !== 'production' && environment !== 'sandbox') {
      problems.push({ field: 'environment', message: 'The environment field must be production or sandbox.' });
    }
    if (tokenKind !== 'token') {
      problems.push({ field: 'token_kind', message: 'The token_kind field of an iOS device must be token.' });
    }
    if (token === undefined) {
      problems.push(required('token'));
    } else if (!isMatch(APNS_TOKEN, token)) {
      const rule = 'must be an even number of hexadecimal digits, from 16 to 200';
      problems.push({ field: 'token', message: `The token field ${rule}.` });
    }
    if (app !== undefined && !apps.includes(app)) problems.push({ field: 'app', message: appRule(apps) });
    if (subscription !== undefined) problems.push(BROWSERS_ONLY);
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

function appRule(apps: readonly string[]): string {
  if (apps.length === 0) return 'The app field cannot be set: this server is not configured to push to iOS devices.';
  return `The app field must be an app that this server pushes to: ${eitherOf(apps)}.`;
}
