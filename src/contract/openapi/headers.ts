/** Responses' header fields; optional ones appear on some only. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      'Id of the request. If the client sends an id of 1 to 64 characters of `A-Za-z0-9._-`, the server uses it. An id that looks like a key, a token or a pairing code (ten letters and digits) is replaced.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
    example: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 86400 },
    example: 21,
  },
  Allow: {
    description: 'The methods that the address accepts.',
    required: true,
    schema: { type: 'string' },
    example: 'HEAD, GET',
  },
  'Accept-Encoding': {
    description: 'How the body may be compressed.',
    required: true,
    schema: { type: 'string', enum: ['gzip', 'identity'] },
    example: 'gzip',
  },
  ETag: {
    description: 'Changes whenever the body changes. Each encoding has its own.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}(?:-gzip)?"$' },
    example: '"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"',
  },
  'Content-Encoding': {
    description: 'Present if the body is compressed, as `Accept-Encoding` allows.',
    schema: { type: 'string', const: 'gzip' },
    example: 'gzip',
  },
  Vary: {
    description: 'The request headers that the response depends on.',
    required: true,
    schema: { type: 'string', const: 'Accept-Encoding' },
    example: 'Accept-Encoding',
  },
  Location: {
    description: 'Address of the event, for a key that has `events:read`.',
    required: true,
    schema: { type: 'string' },
    example: '/api/v1/events/evt_01m7yq1whvehx9w1n0h5r0c6ct',
  },
  'Pushctl-Alert': {
    description:
      'Present if the event has the level `success`, but did not resolve the alert with its `collapse_key`. Others have posted to that alert, and the API key does not have `alerts:write`. The event is pushed, and the alert stays as it is.',
    schema: { type: 'string', const: 'unchanged, needs alerts:write' },
    example: 'unchanged, needs alerts:write',
  },
  'Idempotent-Replayed': {
    description: 'Present if the event was accepted before.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Idempotent-Body': {
    description: 'Present if the event was accepted before with another body.',
    schema: { type: 'string', const: 'different' },
    example: 'different',
  },
  'Set-Cookie': {
    description:
      "Sets or removes a cookie of a browser: the session's, or `-oidc` during a sign-in through the provider.",
    schema: {
      type: 'string',
      pattern:
        '^__Host-pushctl(?:=[A-Za-z0-9_-]*; Path=/; Secure; HttpOnly; SameSite=Strict|-oidc=[A-Za-z0-9_.-]*; Path=/; Secure; HttpOnly; SameSite=Lax); Max-Age=[0-9]+$',
    },
    example: '__Host-pushctl=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
  },
  'RateLimit-Policy': {
    description:
      "Name, quota and window in seconds of the limit (IETF draft httpapi-ratelimit-headers). If the allowance is spent, the month's as well.",
    schema: { type: 'string', pattern: '^"[a-z]+";q=\\d+;w=\\d+(?:, "[a-z]+";q=\\d+;w=\\d+)?$' },
    example: '"burst";q=60;w=60',
  },
  RateLimit: {
    description: 'Remaining requests, and seconds until there are more.',
    schema: { type: 'string', pattern: '^"[a-z]+";r=\\d+;t=\\d+(?:, "[a-z]+";r=\\d+;t=\\d+)?$' },
    example: '"burst";r=59;t=60',
  },
};
