import {
  BODY_MAX_BYTES,
  type CheckedFault,
  CONTACT_FAULTS,
  faultOf,
  hasGoodEncoding,
  hasGoodTopic,
  hasGoodUrgency,
  type PushService,
  ttlOf,
} from '../service.ts';

const ENDED = 'push subscription has unsubscribed or expired.';
const NO_ENDPOINT =
  'A valid push subscription endpoint should be specified in the URL as such: https://fcm.googleapis.com/wp/dHIoDxE7Hdg:APA91bH1Zj0kNa';
const OTHER_KEY =
  'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.';
const TOO_LARGE = 'The request payload is too large.';
const INVALID_JWT = 'invalid JWT provided';

/**
 * Texts of 403: from Chromium's tests (components/gcm_driver/web_push_common.cc); those of 400, 413, 429 and 5xx are
 * not documented.
 */
const FAULTS: Readonly<Record<CheckedFault, string>> = {
  missing: 'sender is not authenticated.',
  malformed:
    'authorization header had invalid format. authorization header should have the following format: t=jwtToken; k=base64(publicApplicationServerKey)',
  key_length: 'public key must be 65 bytes long',
  key_off_curve: 'VAPID public key must be on the P-256 curve',
  signature: INVALID_JWT,
  no_audience: 'invalid aud claim',
  other_audience: 'aud claim in the token MUST include the origin of the push resource URL',
  no_expiry: 'exp claim is missing',
  expired: 'token has expired',
  long_expiry: 'exp claim MUST NOT be more than 24 hours from the time of the request',
};

const STATUSES: Readonly<Record<string, number>> = {
  UnauthorizedRegistration: 400,
  'invalid TTL': 400,
  'invalid topic': 400,
  'invalid urgency': 400,
  'invalid content encoding': 400,
  ...Object.fromEntries(Object.values(FAULTS).map((text) => [text, 403])),
  [OTHER_KEY]: 403,
  [NO_ENDPOINT]: 404,
  [ENDED]: 410,
  [TOO_LARGE]: 413,
  'Too many requests': 429,
  'Internal server error': 500,
  'Service unavailable': 503,
};
const MAX_TTL_S = 28 * 86_400;

export const google: PushService = {
  // Chromium built without Google's keys has the second.
  origins: ['https://fcm.googleapis.com', 'https://jmt17.google.com'],
  pathOf: (token) => `/fcm/send/${token}`,
  tokenIn: (path) => /^\/(?:fcm\/send|wp)\/([\w:-]+)$/.exec(path)?.[1] ?? null,

  reasonAgainst(request) {
    const ttlS = ttlOf(request);
    const fault = faultOf(request, CONTACT_FAULTS);
    if (request.method !== 'POST' || request.subscription === 'unknown') return NO_ENDPOINT;
    if (fault !== null) return FAULTS[fault];
    if (!request.isBoundToKey) return OTHER_KEY;
    if (request.subscription === 'ended') return ENDED;
    if (ttlS === null || ttlS < 0 || ttlS > MAX_TTL_S) return 'invalid TTL';
    if (!hasGoodTopic(request)) return 'invalid topic';
    if (!hasGoodUrgency(request)) return 'invalid urgency';
    if (!hasGoodEncoding(request)) return 'invalid content encoding';
    return request.bodyBytes > BODY_MAX_BYTES ? TOO_LARGE : null;
  },

  success: (messageId) => ({
    status: 201,
    headers: { location: `https://fcm.googleapis.com/0:${messageId}` },
    body: '',
  }),
  refusal: (reason, status = STATUSES[reason] ?? 500) => ({
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: `${reason}\n`,
  }),
  words: {
    unregistered: ENDED,
    too_many: 'Too many requests',
    internal_error: 'Internal server error',
  },
};
