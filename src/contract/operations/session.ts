import {
  ANY_BODY,
  ANY_CHANGE,
  ANY_PROOF,
  ANY_PROVEN_CHANGE,
  ANY_REQUEST,
  ANY_SESSION,
  NO_FILTERS,
  type Operation,
  signedIn,
} from './operation.ts';

const REMOVE_IT = {
  RemoveIt: {
    operationId: 'removePasskey',
    description: 'The pairing code no longer signs in.',
    parameters: { passkey: '$response.body#/passkey/id' },
  },
};

export const SESSION = [
  {
    method: 'post',
    path: '/v1/session',
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'With an email address and password, a pairing code, or a passkey. Failed sign-ins are limited by client address, by email, and by both together; pairing codes and passkeys by client address. A browser, on a page of this server, passes `cookie` to get the token in a cookie that scripts cannot read.',
    body: 'session-request',
    answers: {
      201: {
        is: 'Signed in. The token is shown once, or is in the cookie.',
        schema: 'session-opened',
        headers: ['Set-Cookie'],
      },
    },
    errors: [...ANY_REQUEST, ...ANY_BODY, ...ANY_PROOF, 'cross_site', 'unavailable'],
  },
  {
    ...signedIn('get', '/v1/session'),
    operationId: 'whoAmI',
    summary: 'Read the session',
    description:
      "With your workspaces. If a workspace's `state` is `waiting`, this session has no rights there, as it is not vouched for.",
    answers: { 200: { is: 'The signed-in person and their workspaces.', schema: 'session' } },
    errors: ANY_SESSION,
  },
  {
    ...signedIn('patch', '/v1/session'),
    operationId: 'renameSelf',
    forwards: { call: 'renameUser', as: 'user', caller: 'email' },
    summary: 'Change your name',
    description:
      'The name holds in all of your workspaces. If the session lacks your rights in one of them, the response is 403 `role_too_low`.',
    body: 'session-change',
    answers: { 200: { is: 'The new name.', schema: 'user-answer' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'role_too_low'],
  },
  {
    method: 'get',
    path: '/v1/session/ways',
    operationId: 'listSignInWays',
    summary: 'List the ways to sign in',
    description: 'The ways that a sign-in page offers. They depend on the configuration alone.',
    answers: { 200: { is: 'The ways.', schema: 'sign-in-ways' } },
    errors: ANY_REQUEST,
  },
  {
    method: 'get',
    path: '/v1/session/oidc',
    operationId: 'beginOidc',
    summary: 'Sign in through the provider',
    description:
      "Redirects a browser, on a page of this server, to the operator's provider (OpenID Connect), which redirects to the callback. A cookie is kept for ten minutes; without it, the callback is rejected. Other sites cannot start a sign-in. If there is no provider, the response is 404.",
    query: { schema: 'oidc-query', reads: ['confirm'] },
    answers: { 303: { is: 'To the provider, or to the web app, which shows the error.', headers: ['Set-Cookie'] } },
    errors: [...ANY_REQUEST, 'route_not_found', 'invalid_fields', 'unavailable'],
  },
  {
    method: 'get',
    path: '/v1/session/oidc/callback',
    operationId: 'finishOidc',
    summary: 'Return from the provider',
    description:
      "The provider sends the browser back to this address. The server checks the response (state, PKCE, nonce, issuer, signature) and redirects to the web app. The redirect has a pairing code, or the reason why there is none. The code is valid once, for 60 s, in this browser only. An identity (the provider's `iss` and `sub`) belongs to one member. The first sign-in links it to the member with the email address that the provider vouches for. Nothing else is created. Failures are limited for each client address.",
    answers: { 303: { is: 'To the web app.', headers: ['Set-Cookie'] } },
    errors: [...ANY_REQUEST, 'route_not_found', 'unavailable'],
  },
  {
    ...signedIn('delete', '/v1/session'),
    operationId: 'signOut',
    summary: 'Sign out',
    answers: { 204: { is: 'The session has ended.', headers: ['Set-Cookie'] } },
    errors: ANY_SESSION,
  },
  {
    ...signedIn('put', '/v1/session/password'),
    operationId: 'changePassword',
    summary: 'Change your password',
    description:
      'Ends your other sessions, except those that may do more than this one. The new password is vouched for like this session and like the previous password. If you have no password yet, omit `current`. If the password was changed meanwhile, the response is 409.',
    body: 'password-change',
    answers: { 204: { is: 'The password is changed.' } },
    errors: [...ANY_PROVEN_CHANGE, ...ANY_BODY, 'provider_only', 'conflict', 'sign_in_throttled'],
  },
  {
    ...signedIn('post', '/v1/session/confirmation'),
    operationId: 'confirmIdentity',
    summary: 'Confirm who you are',
    description:
      'Pass the password, a passkey or a fresh pairing code. The proof must be vouched for everything that this session may do (else 403 `proof_too_narrow`). Ten minutes after it was opened or confirmed, a session that was opened with `cookie` needs a confirmation before sensitive changes (401 `confirm_identity`). Other sessions never do. Wrong guesses count together with failed sign-ins.',
    body: 'confirmation-request',
    answers: { 204: { is: 'No further confirmation is needed for ten minutes.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, ...ANY_PROOF, 'proof_too_narrow'],
  },
  {
    ...signedIn('post', '/v1/session/vouchers'),
    operationId: 'addVouchers',
    summary: 'Redeem an invitation while signed in',
    description:
      'A session has the rights of its person only as far as it is vouched for. If it began with a code or password of the operator, it is vouched for everywhere. Otherwise, it is vouched for in the workspace of the manager who made the code, up to the role that this manager could give. Codes, further sessions and passwords that are made in a session are vouched for like the session. Another pairing code of this person adds its own scope to the session. Wrong guesses are limited together with failed sign-ins.',
    body: 'voucher-request',
    answers: { 200: { is: 'Added. The signed-in person and their workspaces.', schema: 'session' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'wrong_pairing_code', 'pairing_throttled'],
  },
  {
    ...signedIn('post', '/v1/session/pairing'),
    operationId: 'pairOwnDevice',
    forwards: { call: 'createPairingCode', shows: ['expires_at'], issues: 'own_pairing_code', caller: 'email' },
    summary: 'Make a pairing code for another device of yours',
    description:
      'The code signs in once, within 2 minutes. An earlier code becomes invalid. The session it opens is vouched for like this session. If this session ends, so does the code.',
    answers: { 201: { is: 'The code, shown once.', schema: 'pairing' } },
    errors: [...ANY_PROVEN_CHANGE, 'provider_first'],
  },
  {
    method: 'post',
    path: '/v1/passkeys/challenge',
    operationId: 'challengePasskey',
    summary: 'Make a challenge for a passkey',
    description:
      'To add a passkey, to sign in and to confirm (WebAuthn). The challenge is valid for one response, within five minutes. A passkey is bound to the host of the page, which must be the host of `base_url` or of the request.',
    answers: { 200: { is: 'The challenge.', schema: 'passkey-challenge' } },
    errors: [...ANY_REQUEST, 'unavailable'],
  },
  {
    ...signedIn('get', '/v1/passkeys'),
    operationId: 'listPasskeys',
    summary: 'List your passkeys',
    description: 'Only passkeys that may do no more than this session.',
    query: NO_FILTERS,
    answers: { 200: { is: 'The passkeys, the oldest first.', schema: 'passkey-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    ...signedIn('post', '/v1/passkeys'),
    operationId: 'addPasskey',
    summary: 'Add a passkey',
    description:
      'A passkey signs in (`POST /v1/session`) and confirms (`POST /v1/session/confirmation`) instead of a password or code. It is vouched for like this session. If you have 20 passkeys, or the passkey is known, the response is 409.',
    body: 'passkey-request',
    answers: { 201: { is: 'The passkey is added.', schema: 'passkey-answer', links: REMOVE_IT } },
    errors: [...ANY_PROVEN_CHANGE, ...ANY_BODY, 'wrong_passkey', 'conflict'],
  },
  {
    ...signedIn('delete', '/v1/passkeys/{passkey}'),
    operationId: 'removePasskey',
    forwards: { call: 'removePasskey', caller: 'session' },
    summary: 'Remove one of your passkeys',
    description: 'Rejected from the next request on. Sessions that it has opened stay.',
    answers: { 204: { is: 'Removed.' } },
    errors: [...ANY_PROVEN_CHANGE, 'passkey_not_found'],
  },
  {
    ...signedIn('get', '/v1/sessions'),
    operationId: 'listSessions',
    forwards: { call: 'listOwnSessions', as: 'sessions', caller: 'session' },
    summary: 'List your sessions',
    description: 'Only sessions that may do no more than this one.',
    query: NO_FILTERS,
    answers: { 200: { is: 'The sessions, the newest first.', schema: 'session-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    ...signedIn('delete', '/v1/sessions/{session}'),
    operationId: 'endSession',
    forwards: { call: 'closeSessions', caller: 'email' },
    summary: 'End one of your sessions',
    description: 'Rejected from the next request on. If the session may do more than this one, the response is 404.',
    answers: { 204: { is: 'The session has ended.' } },
    errors: [...ANY_PROVEN_CHANGE, 'session_not_found'],
  },
] as const satisfies readonly Operation[];
