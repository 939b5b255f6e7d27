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
    description: 'It signs in no more.',
    parameters: { passkey: '$response.body#/passkey/id' },
  },
};

/** Signing in and out. */
export const SESSION = [
  {
    method: 'post',
    path: '/v1/session',
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'With an email address and its password, with a pairing code, or with a passkey. Failed sign-ins are limited for each pair of client address and email, and for each of them alone; pairing codes and passkeys for each client address. A browser asks for the token in a cookie that scripts cannot read (`cookie`), from a page of this server.',
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
    summary: 'Who am I',
    description:
      'With each workspace that they belong to. In one whose `state` is `waiting` this session has no rights, as it is not vouched for there.',
    answers: { 200: { is: 'Who is signed in, and where they belong.', schema: 'session' } },
    errors: ANY_SESSION,
  },
  {
    ...signedIn('patch', '/v1/session'),
    operationId: 'renameSelf',
    forwards: { call: 'renameUser', as: 'user', caller: 'email' },
    summary: 'Change your name',
    description:
      'In all your workspaces. A session that lacks rights of its person in any of them cannot (403 `role_too_low`).',
    body: 'session-change',
    answers: { 200: { is: 'Your name from now on.', schema: 'user-answer' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'role_too_low'],
  },
  {
    method: 'get',
    path: '/v1/session/ways',
    operationId: 'listSignInWays',
    summary: 'Ways to sign in',
    description: 'What a sign-in page offers: it depends on the configuration alone.',
    answers: { 200: { is: 'The ways.', schema: 'sign-in-ways' } },
    errors: ANY_REQUEST,
  },
  {
    method: 'get',
    path: '/v1/session/oidc',
    operationId: 'beginOidc',
    summary: 'Sign in by the provider',
    description:
      'Where a browser goes to sign in by the provider of the operator (OpenID Connect), from a page of this server: to the provider, and from there to the callback. It keeps a cookie for ten minutes, without which what comes back is refused. Another site cannot begin it. 404 where there is no provider.',
    query: { schema: 'oidc-query', reads: ['confirm'] },
    answers: { 303: { is: 'To the provider, or to the web app, which says why not.', headers: ['Set-Cookie'] } },
    errors: [...ANY_REQUEST, 'route_not_found', 'invalid_fields', 'unavailable'],
  },
  {
    method: 'get',
    path: '/v1/session/oidc/callback',
    operationId: 'finishOidc',
    summary: 'Come back from the provider',
    description:
      "Where the provider sends a browser back to. What it brings is checked (state, PKCE, nonce, issuer, signature), and leads to the web app: with a pairing code, good for 60 s, once, and in this browser alone, or with why there is none. An identity, the provider's `iss` and `sub`, belongs to one member: at its first sign-in to the one with the address that the provider vouches for. Nothing else is made by it. Failures are limited for each client address.",
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
    summary: 'Change the own password',
    description:
      'Ends all other sessions of this person, but for those that may do more than it. It is vouched for like this session, and like the password before it. Who has no password yet leaves `current` out. A password that was changed meanwhile is a conflict.',
    body: 'password-change',
    answers: { 204: { is: 'The password is changed.' } },
    errors: [...ANY_PROVEN_CHANGE, ...ANY_BODY, 'provider_only', 'conflict', 'sign_in_throttled'],
  },
  {
    ...signedIn('post', '/v1/session/confirmation'),
    operationId: 'confirmIdentity',
    summary: 'Confirm who you are',
    description:
      'By the password, a passkey or a fresh pairing code. It must be vouched for all that this session may do (else 403 `proof_too_narrow`). A session that was opened with `cookie` is asked for it before what could hurt (401 `confirm_identity`), ten minutes after it was opened or confirmed. Other sessions are never asked. Wrong guesses are limited together with those at signing in.',
    body: 'confirmation-request',
    answers: { 204: { is: 'You are not asked for ten minutes.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, ...ANY_PROOF, 'proof_too_narrow'],
  },
  {
    ...signedIn('post', '/v1/session/vouchers'),
    operationId: 'addVouchers',
    summary: 'Redeem an invitation while signed in',
    description:
      "A session has its person's rights only as far as it is vouched for: everywhere where it began with a code or password of the operator, else in the workspace of the manager who made the code, up to the role which that manager could give. What is made in a session (codes, further sessions, a password) carries the same. A further pairing code of this person adds to the session what that is vouched for. Wrong guesses are limited together with those at signing in.",
    body: 'voucher-request',
    answers: { 200: { is: 'Added: who is signed in, and where they belong.', schema: 'session' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'wrong_pairing_code', 'pairing_throttled'],
  },
  {
    ...signedIn('post', '/v1/session/pairing'),
    operationId: 'pairOwnDevice',
    forwards: { call: 'createPairingCode', shows: ['expires_at'], issues: 'own_pairing_code', caller: 'email' },
    summary: 'Make a pairing code for a further device of your own',
    description:
      'It signs in once, within 2 minutes; an earlier one is void. What it opens is vouched for like this session, with which the code ends.',
    answers: { 201: { is: 'The code, shown once.', schema: 'pairing' } },
    errors: [...ANY_PROVEN_CHANGE, 'provider_first'],
  },
  {
    method: 'post',
    path: '/v1/passkeys/challenge',
    operationId: 'challengePasskey',
    summary: 'Make a challenge for a passkey',
    description:
      'For adding one, signing in and confirming alike (WebAuthn). It is good for one answer, within five minutes. A passkey is bound to the host of the page, which must be the one of `base_url` or of the request.',
    answers: { 200: { is: 'The challenge.', schema: 'passkey-challenge' } },
    errors: [...ANY_REQUEST, 'unavailable'],
  },
  {
    ...signedIn('get', '/v1/passkeys'),
    operationId: 'listPasskeys',
    summary: 'List the own passkeys',
    description: 'Those that may do no more than this session.',
    query: NO_FILTERS,
    answers: { 200: { is: 'The passkeys, the oldest first.', schema: 'passkey-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    ...signedIn('post', '/v1/passkeys'),
    operationId: 'addPasskey',
    summary: 'Add a passkey',
    description:
      'It signs in (`POST /v1/session`) and confirms (`POST /v1/session/confirmation`) in place of a password or code, and is vouched for like this session. 20 are the most, and one that is known a conflict.',
    body: 'passkey-request',
    answers: { 201: { is: 'It is added.', schema: 'passkey-answer', links: REMOVE_IT } },
    errors: [...ANY_PROVEN_CHANGE, ...ANY_BODY, 'wrong_passkey', 'conflict'],
  },
  {
    ...signedIn('delete', '/v1/passkeys/{passkey}'),
    operationId: 'removePasskey',
    forwards: { call: 'removePasskey', caller: 'session' },
    summary: 'Remove one of the own passkeys',
    description: 'It is refused from the next request on; sessions that it has opened stay.',
    answers: { 204: { is: 'It is gone.' } },
    errors: [...ANY_PROVEN_CHANGE, 'passkey_not_found'],
  },
  {
    ...signedIn('get', '/v1/sessions'),
    operationId: 'listSessions',
    forwards: { call: 'listOwnSessions', as: 'sessions', caller: 'session' },
    summary: 'List the own sessions',
    description: 'Those that may do no more than this one.',
    query: NO_FILTERS,
    answers: { 200: { is: 'Where this person is signed in, the newest first.', schema: 'session-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    ...signedIn('delete', '/v1/sessions/{session}'),
    operationId: 'endSession',
    forwards: { call: 'closeSessions', caller: 'email' },
    summary: 'End one of the own sessions',
    description: 'It is refused from the next request on. One that may do more than this one is not there.',
    answers: { 204: { is: 'It has ended.' } },
    errors: [...ANY_PROVEN_CHANGE, 'session_not_found'],
  },
] as const satisfies readonly Operation[];
