import type { WebPushRoute } from '../../contract/push-services.ts';
import {
  BODY_MAX_BYTES,
  CONTACT_FAULTS,
  faultOf,
  hasGoodEncoding,
  hasGoodTopic,
  hasGoodUrgency,
  type PushService,
  ttlOf,
} from './service.ts';
import { apple } from './services/apple.ts';
import { google } from './services/google.ts';
import { microsoft } from './services/microsoft.ts';
import { mozilla } from './services/mozilla.ts';

/** Statuses of RFC 8030 and RFC 8292, by name. */
const STATUSES: Readonly<Record<string, number>> = {
  'Bad Request': 400,
  Unauthorized: 401,
  Forbidden: 403,
  'Not Found': 404,
  Gone: 410,
  'Content Too Large': 413,
  'Too Many Requests': 429,
  'Internal Server Error': 500,
  'Service Unavailable': 503,
};

/** A standard push service, as operators add by host. */
const other: PushService = {
  origins: ['https://push.example.net'],
  pathOf: (token) => `/push/${token}`,
  tokenIn: (path) => /^\/push\/([\w-]+)$/.exec(path)?.[1] ?? null,

  reasonAgainst(request) {
    const ttlS = ttlOf(request);
    const fault = faultOf(request, CONTACT_FAULTS);
    if (request.method !== 'POST' || request.subscription === 'unknown') return 'Not Found';
    if (fault === 'missing') return 'Unauthorized';
    if (fault !== null || !request.isBoundToKey) return 'Forbidden';
    if (request.subscription === 'ended') return 'Gone';
    if (request.bodyBytes > BODY_MAX_BYTES) return 'Content Too Large';
    if (ttlS === null || ttlS < 0) return 'Bad Request';
    return hasGoodTopic(request) && hasGoodUrgency(request) && hasGoodEncoding(request) ? null : 'Bad Request';
  },

  success: (messageId, ttlS) => ({
    status: 201,
    headers: { location: `https://push.example.net/message/${messageId}`, ttl: String(ttlS) },
    body: '',
  }),
  refusal: (reason, status = STATUSES[reason] ?? 500) => ({ status, headers: {}, body: reason }),
  words: {
    unregistered: 'Gone',
    too_many: 'Too Many Requests',
    internal_error: 'Internal Server Error',
  },
};

export const SERVICES: Readonly<Record<WebPushRoute, PushService>> = {
  webpush_google: google,
  webpush_mozilla: mozilla,
  webpush_apple: apple,
  webpush_microsoft: microsoft,
  webpush_other: other,
};
