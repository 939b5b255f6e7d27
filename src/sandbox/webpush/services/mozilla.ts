import { STATUS_CODES } from 'node:http';
import {
  BODY_MAX_BYTES,
  type CheckedFault,
  CONTACT_FAULTS,
  faultOf,
  hasGoodTopic,
  type PushRequest,
  type PushService,
  ttlOf,
} from '../service.ts';

/** Status and errno from autopush: autoendpoint/src/error.rs, routers/mod.rs and headers/vapid.rs. */
const ERRORS = {
  'Missing necessary crypto keys': [400, 101],
  'Invalid token': [404, 102],
  'UAID not found': [410, 103],
  'Request is too large': [413, 104],
  'User was deleted during routing': [410, 105],
  'No such subscription': [410, 106],
  'Invalid router type': [400, 108],
  'Missing VAPID token': [401, 109],
  'Missing VAPID public key': [401, 109],
  'Invalid VAPID public key': [401, 109],
  'Invalid VAPID audience': [401, 109],
  'Invalid VAPID expiry': [401, 109],
  'VAPID public key mismatch': [401, 109],
  'The VAPID token expiration is too long': [401, 109],
  'Unknown auth scheme': [401, 109],
  InvalidSignature: [401, 109],
  ExpiredSignature: [401, 109],
  'Missing Content-Encoding header': [400, 110],
  'Unknown Content-Encoding header': [400, 110],
  'Missing TTL value': [400, 111],
  'Topic must be URL and Filename safe Base64 alphabet': [400, 113],
  'Topic must be no greater than 32 characters': [400, 113],
  'TTL must be greater than 0': [400, 114],
  'Database error while saving notification': [503, 201],
  'Conditional database operation failed': [503, 202],
  'General error': [500, null],
  'ERROR:Success': [500, 999],
  'Bridge reports an error': [502, 900],
  'Bridge authentication error': [502, 901],
  'Error while connecting to bridge service': [502, 902],
  'Bridge request timeout': [502, 903],
} as const satisfies Record<string, readonly [number, number | null]>;
type Message = keyof typeof ERRORS;

const MORE_INFO = 'http://autopush.readthedocs.io/en/latest/http.html#error-codes';
const RETRY_AFTER_S = '120';
const MAX_TTL_S = 30 * 86_400;
const FAULTS: Readonly<Record<CheckedFault, Message>> = {
  missing: 'Missing VAPID public key',
  malformed: 'Missing VAPID token',
  key_length: 'Invalid VAPID public key',
  key_off_curve: 'Invalid VAPID public key',
  signature: 'InvalidSignature',
  no_audience: 'Invalid VAPID audience',
  other_audience: 'Invalid VAPID audience',
  no_expiry: 'Invalid VAPID expiry',
  expired: 'ExpiredSignature',
  long_expiry: 'The VAPID token expiration is too long',
};

export const mozilla: PushService = {
  origins: ['https://updates.push.services.mozilla.com'],
  pathOf: (token) => `/wpush/v2/${token}`,
  tokenIn: (path) => /^\/wpush\/v[12]\/([\w=-]+)$/.exec(path)?.[1] ?? null,
  reasonAgainst: messageAgainst,

  success: (messageId, ttlS) => ({
    status: 201,
    headers: {
      location: `https://updates.push.services.mozilla.com/m/${messageId}`,
      ttl: String(Math.min(ttlS, MAX_TTL_S)),
    },
    body: '',
  }),

  refusal(reason, wanted) {
    const [known, errno] = Object.hasOwn(ERRORS, reason) ? ERRORS[reason as Message] : ERRORS['General error'];
    const status = wanted ?? known;
    const body = { code: status, errno, error: STATUS_CODES[status], message: reason, more_info: MORE_INFO };
    const headers = {
      'content-type': 'application/json',
      ...(status === 410 && { 'cache-control': 'max-age=86400' }),
      ...(status === 503 && { 'retry-after': RETRY_AFTER_S }),
    };
    return { status, headers, body: JSON.stringify(body) };
  },

  words: {
    unregistered: 'No such subscription',
    too_many: 'Conditional database operation failed',
    internal_error: 'General error',
  } satisfies Record<string, Message>,
};

/** Mozilla only notes bad contacts. */
function messageAgainst(request: PushRequest): Message | null {
  const fault = faultOf(request, CONTACT_FAULTS);
  if (request.method !== 'POST' || request.subscription === 'unknown') return 'Invalid token';
  // The endpoint has its key's hash, checked before any signature.
  if (fault === 'missing' || fault === 'malformed' || fault === 'key_length') return FAULTS[fault];
  if (!request.isBoundToKey) return 'VAPID public key mismatch';
  if (request.subscription === 'ended') return 'No such subscription';
  if (fault !== null) return FAULTS[fault];
  return request.bodyBytes > BODY_MAX_BYTES ? 'Request is too large' : headerMessage(request);
}

function headerMessage(request: PushRequest): Message | null {
  const ttlS = ttlOf(request);
  const encoding = request.headers['content-encoding'];
  if (ttlS === null) return 'Missing TTL value';
  if (request.bodyBytes > 0 && encoding === undefined) return 'Missing Content-Encoding header';
  if (request.bodyBytes > 0 && encoding !== 'aes128gcm') return 'Unknown Content-Encoding header';
  if (ttlS < 0) return 'TTL must be greater than 0';
  if (hasGoodTopic(request)) return null;
  const isLong = (request.headers.topic?.length ?? 0) > 32;
  return isLong ? 'Topic must be no greater than 32 characters' : 'Topic must be URL and Filename safe Base64 alphabet';
}
