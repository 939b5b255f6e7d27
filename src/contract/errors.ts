/**
 * Every error that the API answers, in one list. The name is the `code` of its body. Those of status 404 have no code,
 * as the specification fixes their body, and 422 has a body of its own (see fields.ts).
 */
export const API_ERRORS = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  unauthenticated: { status: 401, message: 'The API key is missing or not valid.' },
  not_signed_in: { status: 401, message: 'The session token is missing or not valid, or the session has ended.' },
  wrong_password: { status: 401, message: 'The email address or the password is wrong.' },
  confirm_identity: {
    status: 401,
    message: 'Confirm who you are, by your password or a fresh pairing code: POST /v1/session/confirmation.',
  },
  wrong_passkey: { status: 401, message: 'The passkey is not known here, or its answer is wrong, used or too old.' },
  wrong_pairing_code: { status: 401, message: 'The pairing code is wrong, used or too old.' },
  key_revoked: { status: 403, message: 'The API key has been revoked.' },
  key_expired: { status: 403, message: 'The API key has expired.' },
  missing_scope: { status: 403, message: 'The API key does not have the scope that this request needs.' },
  key_not_bound: {
    status: 403,
    message:
      'An API key that stands in an address, or comes with no channel, must be bound to exactly one channel: pushctl key issue <workspace> --channel <channel>.',
  },
  workspace_inactive: { status: 403, message: 'The workspace of this API key is not active.' },
  role_too_low: { status: 403, message: 'Only owners and admins of this workspace may do this.' },
  cross_site: {
    status: 403,
    message: 'Requests with the session cookie are taken from the pages of this server only.',
  },
  workspace_not_found: { status: 404, message: 'You belong to no such workspace.' },
  device_not_found: { status: 404, message: 'You have no such device.' },
  passkey_not_found: { status: 404, message: 'You have no such passkey.' },
  session_not_found: { status: 404, message: 'You have no such session.' },
  key_not_found: { status: 404, message: 'The API key does not exist in this workspace.' },
  member_not_found: { status: 404, message: 'There is no such member in this workspace.' },
  channel_not_found: { status: 404, message: 'The channel does not exist in this workspace, or it is inactive.' },
  event_not_found: { status: 404, message: 'The event does not exist in this workspace.' },
  subscription_not_found: {
    status: 404,
    message: 'You have no such device, or no such channel in a workspace of yours.',
  },
  route_not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not take this method.' },
  conflict: { status: 409, message: 'This cannot be done as things stand.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  payload_too_large: { status: 413, message: 'The body is larger than 64 KiB.' },
  unsupported_encoding: { status: 415, message: 'The Content-Encoding must be gzip, or the body not compressed.' },
  rate_limited: { status: 429, message: 'This API key has made too many requests within a minute.' },
  allowance_exhausted: { status: 429, message: 'The monthly event allowance of this workspace is spent.' },
  connection_throttled: { status: 429, message: 'This address has made too many connection tests within a minute.' },
  sign_in_throttled: { status: 429, message: 'Too many sign-ins have failed. Wait, or sign in with a pairing code.' },
  pairing_throttled: { status: 429, message: 'This address has tried too many wrong pairing codes.' },
  test_throttled: { status: 429, message: 'You have sent too many test pushes within a minute.' },
  too_many_streams: { status: 429, message: 'You have too many streams open. Close one, or wait until one has ended.' },
  change_throttled: { status: 429, message: 'You have changed too much in a short time. Wait a while.' },
  headers_too_large: { status: 431, message: 'The header fields of the request are too large.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: { status: 503, message: 'The service cannot store anything just now.' },
  overloaded: { status: 503, message: 'The service has more to do than it can take.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;
