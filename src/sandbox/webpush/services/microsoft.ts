import {
  BODY_MAX_BYTES,
  CONTACT_FAULTS,
  faultOf,
  hasGoodEncoding,
  hasGoodTopic,
  type PushRequest,
  type PushService,
  ttlOf,
} from '../service.ts';

/** Texts of `X-WNS-ERROR-DESCRIPTION`; only the TTL's is documented literally. */
const TTL_CONFLICT = 'Ttl value conflicts with X-WNS-Cache-Policy.';
const STATUSES: Readonly<Record<string, number>> = {
  [TTL_CONFLICT]: 400,
  'Ttl value is missing or invalid.': 400,
  'Topic is invalid.': 400,
  'Content-Encoding is missing or invalid.': 400,
  'Authorization is missing or invalid.': 401,
  'The key does not match the channel.': 403,
  'The channel is not valid.': 404,
  appthrottled: 406,
  'The channel expired.': 410,
  'The payload is too large.': 413,
  'Too many requests.': 429,
  'Internal error.': 500,
  'Service unavailable.': 503,
};
/** Statuses of undelivered pushes, despite a 201. */
const LOST = ['dropped', 'channelthrottled'];

export const microsoft: PushService = {
  origins: ['https://wns2-par02p.notify.windows.com'],
  pathOf: (token) => `/w/?token=${token}`,
  tokenIn: (path) => /^\/w\/\?token=([\w-]+)$/.exec(path)?.[1] ?? null,

  reasonAgainst(request) {
    if (request.method !== 'POST' || request.subscription === 'unknown') return 'The channel is not valid.';
    if (faultOf(request, CONTACT_FAULTS) !== null) return 'Authorization is missing or invalid.';
    if (!request.isBoundToKey) return 'The key does not match the channel.';
    if (request.subscription === 'ended') return 'The channel expired.';
    if (!hasGoodTopic(request)) return 'Topic is invalid.';
    if (!hasGoodEncoding(request)) return 'Content-Encoding is missing or invalid.';
    return request.bodyBytes > BODY_MAX_BYTES ? 'The payload is too large.' : ttlReason(request);
  },

  success: (messageId) => taken('received', messageId),
  refusal(reason, wanted) {
    if (LOST.includes(reason)) return taken(reason, '0');
    const status = wanted ?? STATUSES[reason] ?? 500;
    return { status, headers: { 'x-wns-error-description': reason }, body: '' };
  },
  words: {
    unregistered: 'The channel expired.',
    too_many: 'appthrottled',
    internal_error: 'Internal error.',
  },
};

/** Pushes to be kept must say so twice. */
function ttlReason(request: PushRequest): string | null {
  const ttlS = ttlOf(request);
  if (ttlS === null || ttlS < 0) return 'Ttl value is missing or invalid.';
  return request.headers['x-wns-cache-policy'] === (ttlS > 0 ? 'cache' : 'no-cache') ? null : TTL_CONFLICT;
}

function taken(status: string, messageId: string) {
  const headers = { 'x-wns-status': status, 'x-wns-notificationstatus': status, 'x-wns-msg-id': messageId };
  return { status: 201, headers, body: '' };
}
