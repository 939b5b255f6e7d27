/**
 * All API errors with the client's remedy; the name is the body's `code`. 404 has none, as specified; 422 has its own
 * body (fields.ts).
 */
export const API_ERRORS = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    advice:
      'Fix the request: `message` says what is wrong with it as a whole (its JSON, its encoding, its header fields).',
  },
  unauthenticated: {
    status: 401,
    message: 'The API key is missing or not valid.',
    advice:
      'Send `Authorization: Bearer pctl_…` and check that the key is complete. If it is, ask the workspace for a new one.',
  },
  not_signed_in: {
    status: 401,
    message: 'The session token is missing or not valid, or the session has ended.',
    advice: 'Sign in again, and drop the token.',
  },
  wrong_password: {
    status: 401,
    message: 'The email address or the password is wrong.',
    advice: 'Ask for the password again. Repeated failures are limited.',
  },
  confirm_identity: {
    status: 401,
    message: 'Confirm your identity with your password or a fresh pairing code: POST /v1/session/confirmation.',
    advice: 'Ask the person to confirm (`POST /v1/session/confirmation`), then send the same request again.',
  },
  wrong_passkey: {
    status: 401,
    message: 'The passkey is unknown, or its answer is wrong, used or expired.',
    advice: 'Ask for a new challenge and let the person sign it, or sign in another way.',
  },
  wrong_pairing_code: {
    status: 401,
    message: 'The pairing code is wrong, used or too old.',
    advice: 'Ask for a new code or link. Each works once, and for a few minutes.',
  },
  wrong_device_token: {
    status: 401,
    message: 'The device token is missing or not valid.',
    advice: 'Drop the reports. Register the device again to get a new token.',
  },
  provider_only: {
    status: 403,
    message: 'People sign in here only through their identity provider, not with a password or passkey.',
    advice: 'Open the web app, which leads to the provider (`GET /v1/session/ways` names it), or use a pairing code.',
  },
  proof_too_narrow: {
    status: 403,
    message: 'This password, passkey or code is right, but it allows less than this session. Use another one.',
    advice: 'Ask for another proof: a passkey or code from a session that may do as much, or a code of the operator.',
  },
  provider_first: {
    status: 403,
    message: 'Your session began with a pairing code of an admin. Sign in through the provider before you make codes.',
    advice: 'Sign in through the provider (`GET /v1/session/ways` names it), then make the code.',
  },
  key_revoked: {
    status: 403,
    message: 'The API key has been revoked.',
    advice: 'Stop, and ask the workspace for a new key.',
  },
  key_expired: {
    status: 403,
    message: 'The API key has expired.',
    advice: 'Stop, and ask the workspace for a new key, or to rotate this one.',
  },
  missing_scope: {
    status: 403,
    message: 'The API key does not have the scope that this request needs.',
    advice: 'Use a key that was issued with the scope that `message` names.',
  },
  key_not_bound: {
    status: 403,
    message:
      'An API key in an address, or without a channel, must be bound to exactly one channel: pushctl key issue <workspace> --channel <channel>.',
    advice: 'Use a key that is bound to one channel, or name the channel.',
  },
  workspace_inactive: {
    status: 403,
    message: 'The workspace of this API key is not active.',
    advice: 'Keep your events, and ask the operator, who has suspended the workspace.',
  },
  role_too_low: {
    status: 403,
    message: 'Only owners and admins of this workspace may do this.',
    advice: 'Ask an owner or admin of the workspace.',
  },
  https_required: {
    status: 403,
    message: 'This request was not sent over HTTPS, so others could read its key or password. Replace it.',
    advice: 'Use the https address. Replace the key or password that was sent: it was readable on the network.',
  },
  cross_site: {
    status: 403,
    message: 'Requests with the session cookie are accepted only from pages of this server.',
    advice: "Send the request from this server's own pages, or with the token as Bearer.",
  },
  workspace_not_found: { status: 404, message: 'You belong to no such workspace.' },
  members_device_not_found: { status: 404, message: 'No member of this workspace has such a device.' },
  device_not_found: { status: 404, message: 'You have no such device.' },
  passkey_not_found: { status: 404, message: 'You have no such passkey.' },
  session_not_found: { status: 404, message: 'You have no such session.' },
  heartbeat_not_found: { status: 404, message: 'There is no such heartbeat in a workspace of yours.' },
  webhook_not_found: { status: 404, message: 'There is no such webhook in this workspace.' },
  maintenance_not_found: { status: 404, message: 'There is no such maintenance window in this channel.' },
  rota_not_found: { status: 404, message: 'There is no such rota in a workspace of yours.' },
  override_not_found: { status: 404, message: 'This rota has no such override that is on or planned.' },
  key_not_found: { status: 404, message: 'The API key does not exist in this workspace.' },
  member_not_found: { status: 404, message: 'There is no such member in this workspace.' },
  channel_not_found: { status: 404, message: 'The channel does not exist in this workspace, or it is inactive.' },
  event_not_found: { status: 404, message: 'The event does not exist in this workspace.' },
  own_channel_not_found: { status: 404, message: 'There is no such channel in a workspace of yours.' },
  route_not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    message: 'This address does not accept this method.',
    advice: 'Use one of the methods in `Allow`.',
  },
  conflict: {
    status: 409,
    message: 'The request conflicts with the current state.',
    advice: 'Read `message`, which gives the reason. Repeating the same request does not help.',
  },
  no_alert: {
    status: 409,
    message: 'The event belongs to no alert.',
    advice: 'Do nothing. Only events that were posted to a channel while it insists (`insist`) belong to an alert.',
  },
  alert_lives: {
    status: 409,
    message: 'Another alert with the same key is open or acknowledged.',
    advice: 'Use the alert that `message` names: events with the key join it.',
  },
  not_reopened: {
    status: 409,
    message: 'The alert cannot be opened again.',
    advice:
      'Wait for the next event with its key, which opens a new alert. You cannot reopen expired alerts, alerts that were resolved more than an hour ago, and alerts of a channel that no longer insists.',
  },
  nothing_to_undo: {
    status: 409,
    message: 'Your last change is more than a minute old, or somebody has changed the alert since.',
    advice: 'Read the alert again. Without `all`, the same request reopens it if that is possible.',
  },
  not_reachable: {
    status: 409,
    message: 'Nobody of that name has a device that gets this alert.',
    advice:
      'Choose somebody that `GET /v1/events/{public_id}/assignees` lists. These people have an active device that is subscribed to the channel of the alert and not muted.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    advice: 'Send the request again, complete and without a pause.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than 64 KiB.',
    advice: 'Send at most 64 KiB, also after decompression. Senders and pings may send 4 MiB.',
  },
  unsupported_encoding: {
    status: 415,
    message: 'The Content-Encoding must be gzip, or the body not compressed.',
    advice: 'Compress with gzip, or do not compress (`Accept-Encoding`).',
  },
  rate_limited: {
    status: 429,
    message: 'This API key has made too many requests within a minute.',
    advice: 'Wait `Retry-After` seconds, then send the request again. `RateLimit` warns before the limit is reached.',
  },
  allowance_exhausted: {
    status: 429,
    message: 'The monthly event allowance of this workspace is spent.',
    advice:
      'Give up: retries do not help before the next month (`month` in `RateLimit`). Tell a person, who can ask the operator for another plan.',
  },
  connection_throttled: {
    status: 429,
    message: 'This address has made too many connection tests within a minute.',
    advice: 'Wait `Retry-After` seconds. Test a connection when it is set up, not before each event.',
  },
  sign_in_throttled: {
    status: 429,
    message: 'Too many sign-ins have failed. Wait, or sign in with a pairing code.',
    advice: 'Wait `Retry-After` seconds, or sign in with a pairing code.',
  },
  pairing_throttled: {
    status: 429,
    message: 'This address has tried too many wrong pairing codes.',
    advice: 'Wait `Retry-After` seconds.',
  },
  test_throttled: {
    status: 429,
    message: 'You have sent too many test pushes within a minute.',
    advice: 'Wait `Retry-After` seconds.',
  },
  report_throttled: {
    status: 429,
    message: 'This device, its person or its network has sent too many reports within a minute.',
    advice: 'Keep the report, and send it with the next one.',
  },
  too_many_streams: {
    status: 429,
    message: 'You have too many streams open. Close one, or wait until one has ended.',
    advice: 'Close a stream that you no longer read, or wait `Retry-After` seconds.',
  },
  change_throttled: {
    status: 429,
    message: 'You have made too many changes in a short time. Wait a while.',
    advice: 'Wait `Retry-After` seconds.',
  },
  headers_too_large: {
    status: 431,
    message: 'The header fields of the request are too large.',
    advice: 'Send fewer or shorter header fields and cookies, or a shorter address.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.',
    advice:
      'Retry with growing pauses. Send events with the same `idempotency_key`. If the error stays, report the `X-Request-Id` to the operator.',
  },
  unavailable: {
    status: 503,
    message: 'The service cannot store anything just now.',
    advice: 'Wait `Retry-After` seconds, then retry. Send events with the same `idempotency_key`.',
  },
  overloaded: {
    status: 503,
    message: 'The service is overloaded.',
    advice: 'Wait `Retry-After` seconds, then retry. Send events with the same `idempotency_key`.',
  },
} as const satisfies Record<string, ApiErrorMeaning>;

interface ApiErrorMeaning {
  readonly status: number;
  readonly message: string;
  /** Markdown. */
  readonly advice?: string;
}

export type ApiErrorCode = keyof typeof API_ERRORS;
