import { ANY_BODY, ANY_CHANGE, ANY_REQUEST, ANY_SESSION, type Operation, pathParameter } from './operation.ts';

const OWN_SESSION = pathParameter('session', { description: 'Id of an own session.', example: '5f1c0a9b33de' });

/** Signing in and out. */
export const SESSION = [
  {
    method: 'post',
    path: '/v1/session',
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'With an email address and its password, or with a pairing code. Failed sign-ins are limited for each pair of client address and email, and for each of them alone; pairing codes for each client address. A browser asks for the token in a cookie that scripts cannot read (`cookie`), from a page of this server.',
    body: 'session-request',
    answers: {
      201: {
        is: 'Signed in. The token is shown once, or is in the cookie.',
        schema: 'session-opened',
        headers: ['Set-Cookie'],
      },
    },
    errors: [
      ...ANY_REQUEST,
      ...ANY_BODY,
      'wrong_password',
      'wrong_pairing_code',
      'cross_site',
      'sign_in_throttled',
      'pairing_throttled',
      'unavailable',
    ],
  },
  {
    method: 'get',
    path: '/v1/session',
    operationId: 'whoAmI',
    summary: 'Who am I',
    session: 'anybody',
    answers: { 200: { is: 'Who is signed in, and where they belong.', schema: 'session' } },
    errors: ANY_SESSION,
  },
  {
    method: 'delete',
    path: '/v1/session',
    operationId: 'signOut',
    summary: 'Sign out',
    session: 'anybody',
    answers: { 204: { is: 'The session has ended.', headers: ['Set-Cookie'] } },
    errors: ANY_SESSION,
  },
  {
    method: 'put',
    path: '/v1/session/password',
    operationId: 'changePassword',
    summary: 'Change the own password',
    description:
      'Ends all other sessions of this person. Who has no password yet leaves `current` out, and in a browser confirms first who they are. A password that was changed meanwhile is a conflict.',
    session: 'anybody',
    body: 'password-change',
    answers: { 204: { is: 'The password is changed.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'confirm_identity', 'conflict', 'sign_in_throttled'],
  },
  {
    method: 'post',
    path: '/v1/session/confirmation',
    operationId: 'confirmIdentity',
    summary: 'Confirm who you are',
    description:
      'By the password, or a fresh pairing code; one that a session made for its own user counts only where that was confirmed itself. A session that was opened with `cookie` is asked for it before what could hurt (401 `confirm_identity`), ten minutes after it was opened or confirmed. Other sessions are never asked. Wrong guesses are limited together with those at signing in.',
    session: 'anybody',
    body: 'confirmation-request',
    answers: { 204: { is: 'You are not asked for ten minutes.' } },
    errors: [
      ...ANY_CHANGE,
      ...ANY_BODY,
      'wrong_password',
      'wrong_pairing_code',
      'sign_in_throttled',
      'pairing_throttled',
    ],
  },
  {
    method: 'post',
    path: '/v1/session/pairing',
    operationId: 'pairOwnDevice',
    summary: 'Make a pairing code for a further device of your own',
    description:
      'It signs in once, within 2 minutes; an earlier one is void. Where this session would have to confirm who it is, so has the one that the code opens.',
    session: 'anybody',
    answers: { 201: { is: 'The code, shown once.', schema: 'pairing' } },
    errors: ANY_CHANGE,
  },
  {
    method: 'get',
    path: '/v1/sessions',
    operationId: 'listSessions',
    summary: 'List the own sessions',
    session: 'anybody',
    answers: { 200: { is: 'Where this person is signed in, the newest first.', schema: 'session-list' } },
    errors: ANY_SESSION,
  },
  {
    method: 'delete',
    path: '/v1/sessions/{session}',
    operationId: 'endSession',
    summary: 'End one of the own sessions',
    description: 'It is refused from the next request on.',
    session: 'anybody',
    parameters: [OWN_SESSION],
    answers: { 204: { is: 'It has ended.' } },
    errors: [...ANY_CHANGE, 'session_not_found'],
  },
] as const satisfies readonly Operation[];
