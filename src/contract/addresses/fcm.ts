import {
  type AddressProblem,
  type AddressRules,
  BROWSERS_ONLY,
  IOS_ONLY,
  isMatch,
  required,
  TOKEN_FIELDS,
} from './address.ts';

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
    const problems: AddressProblem[] = [];
    if (environment !== undefined) {
      problems.push({ field: 'environment', message: 'The environment field is for iOS devices only.' });
    }
    if (token === undefined) problems.push(required('token'));
    if (tokenKind !== 'token' && tokenKind !== 'installation_id') {
      problems.push({ field: 'token_kind', message: 'The token_kind field must be token or installation_id.' });
    } else if (token !== undefined && !isMatch(tokenKind === 'token' ? FCM_TOKEN : INSTALLATION_ID, token)) {
      const rule =
        tokenKind === 'token'
          ? 'must be an FCM registration token of 32 to 4096 printable characters, without spaces'
          : 'must be a Firebase installation ID of 10 to 64 characters';
      problems.push({ field: 'token', message: `The token field ${rule}.` });
    }
    if (app !== undefined) problems.push(IOS_ONLY);
    if (subscription !== undefined) problems.push(BROWSERS_ONLY);
    return problems;
  },

  stored: ({ token = '', tokenKind = 'token' }) => ({ route: 'fcm', environment: null, token, tokenKind, keys: null }),

  pushService: () => null,
  app: () => null,
  given: ({ token }) => ({ token }),
};
