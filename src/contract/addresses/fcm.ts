import { type FieldProblem, fieldProblem } from '../details.ts';
import { type AddressRules, isMatch, TOKEN_FIELDS } from './address.ts';

/**
 * Google documents no format. Printable ASCII without blanks can be sent. Real tokens have at least 119 characters; far
 * shorter ones are, for example, installation IDs.
 */
const FCM_TOKEN = /^[\x21-\x7e]{32,4096}$/;
/** Firebase makes 22 characters, and keeps the 11 of older instance IDs. */
const INSTALLATION_ID = /^[A-Za-z0-9_-]{10,64}$/;

/** Android devices: FCM registration tokens or Firebase installation IDs. */
export const fcmAddresses: AddressRules = {
  defaultName: 'Android device',
  distinctLength: 24,
  fields: TOKEN_FIELDS,

  problems({ environment, tokenKind = 'token', token, app, subscription }) {
    const problems: FieldProblem[] = [];
    if (environment !== undefined) {
      problems.push(fieldProblem('environment', 'ios_only'));
    }
    if (token === undefined) problems.push(fieldProblem('token', 'required'));
    if (tokenKind !== 'token' && tokenKind !== 'installation_id') {
      problems.push(fieldProblem('token_kind', 'one_of', { values: ['token', 'installation_id'] }));
    } else if (token !== undefined && !isMatch(tokenKind === 'token' ? FCM_TOKEN : INSTALLATION_ID, token)) {
      problems.push(fieldProblem('token', tokenKind === 'token' ? 'fcm_token' : 'installation_id'));
    }
    if (app !== undefined) problems.push(fieldProblem('app', 'ios_only'));
    if (subscription !== undefined) problems.push(fieldProblem('subscription', 'browsers_only'));
    return problems;
  },

  stored: ({ token = '', tokenKind = 'token' }) => ({ route: 'fcm', environment: null, token, tokenKind, keys: null }),

  pushService: () => null,
  app: () => null,
  given: ({ token }) => ({ token }),
};
