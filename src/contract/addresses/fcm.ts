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
 * Google publishes no format, and asks not to rely on one. Printable ASCII without blanks can be sent. The shortest
 * ever seen have 119 characters: what is far shorter is something else, such as an installation ID.
 */
const FCM_TOKEN = /^[\x21-\x7e]{32,4096}$/;
/** Firebase's own libraries make 22 characters, and keep the 11 of the instance IDs that came before. */
const INSTALLATION_ID = /^[A-Za-z0-9_-]{10,64}$/;

/** Android devices: an FCM registration token, or a Firebase installation ID. */
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
