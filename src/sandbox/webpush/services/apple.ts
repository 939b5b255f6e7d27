import {
  BODY_MAX_BYTES,
  faultOf,
  hasGoodEncoding,
  hasGoodUrgency,
  type PushRequest,
  type PushService,
  ttlOf,
} from '../service.ts';

/** From Apple's "Sending web push notifications in web apps and browsers" and users' reports. */
const STATUSES: Readonly<Record<string, number>> = {
  BadTtl: 400,
  BadUrgency: 400,
  BadWebPushTopic: 400,
  BadWebPushRequest: 400,
  VapidPkHashMismatch: 400,
  BadJwtToken: 403,
  BadVapidPublicKey: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  Unregistered: 410,
  ExpiredToken: 410,
  PayloadTooLarge: 413,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
};

export const apple: PushService = {
  origins: ['https://web.push.apple.com'],
  pathOf: (token) => `/${token}`,
  tokenIn: (path) => /^\/([\w-]+)$/.exec(path)?.[1] ?? null,

  reasonAgainst(request) {
    const ttlS = ttlOf(request);
    const fault = faultOf(request);
    if (request.subscription === 'unknown') return 'BadPath';
    if (request.method !== 'POST') return 'MethodNotAllowed';
    if (fault === 'key_length' || fault === 'key_off_curve') return 'BadVapidPublicKey';
    // Only Apple also rejects contacts on local domains.
    if (fault !== null) return 'BadJwtToken';
    if (!request.isBoundToKey) return 'VapidPkHashMismatch';
    if (request.subscription === 'ended') return 'Unregistered';
    if (ttlS === null || ttlS <= 0) return 'BadTtl';
    if (!hasGoodUrgency(request)) return 'BadUrgency';
    if (!isGoodTopic(request)) return 'BadWebPushTopic';
    if (!hasGoodEncoding(request)) return 'BadWebPushRequest';
    return request.bodyBytes > BODY_MAX_BYTES ? 'PayloadTooLarge' : null;
  },

  success: (messageId) => ({ status: 201, headers: { 'apns-id': messageId }, body: '' }),
  refusal: (reason, status = STATUSES[reason] ?? 500) => ({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ reason }),
  }),
  words: {
    unregistered: 'Unregistered',
    too_many: 'TooManyRequests',
    internal_error: 'InternalServerError',
  },
};

/** Apple decodes topics as base64url: lengths such as 5 or 13 are refused. */
function isGoodTopic({ headers: { topic } }: PushRequest): boolean {
  if (topic === undefined) return true;
  return topic.length <= 32 && Buffer.from(topic, 'base64url').toString('base64url') === topic;
}
