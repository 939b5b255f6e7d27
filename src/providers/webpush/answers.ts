import type { WebPushRoute } from '../../contract/push-services.ts';
import type { Outcome } from '../../push.ts';
import { parseJsonObject } from '../../values/json.ts';
import { type ProviderResponse, retryAfterSIn } from '../https.ts';
import { outcomeOf, outcomeOfFault } from '../outcomes.ts';
import { WEB_PUSH_OUTCOMES } from './outcomes.ts';

/** Returns a push service's outcome. `askedS`: requested time to keep the push. */
export function webPushOutcome(route: WebPushRoute, answer: ProviderResponse, askedS: number): Outcome {
  const retryAfterS = retryAfterSIn(answer.headers['retry-after']);
  const { status } = answer;
  const reason = REASONS[route](answer) ?? null;
  if (isPage(route, answer)) return outcomeOfFault('unreadable_answer');
  const outcome = outcomeOf(WEB_PUSH_OUTCOMES, { status, reason, ...(retryAfterS !== null && { retryAfterS }) });
  const keptS = outcome.kind === 'accepted' ? ttlIn(answer) : null;
  return keptS === null || keptS >= askedS ? outcome : { kind: 'accepted', keptS };
}

/**
 * Detects pages of proxies or captive portals, which say nothing about the push. Vendors accept with 201 and refuse in
 * words.
 */
function isPage(route: WebPushRoute, { status, headers, body }: ProviderResponse): boolean {
  const isHtml = /^\s*<(?:!doctype|html)/i.test(body);
  if (status === 200) return isHtml || /^text\/html/i.test(headers['content-type'] ?? '');
  return isHtml && status >= 400 && status < 500 && route !== 'webpush_other';
}

/** https://www.rfc-editor.org/rfc/rfc8030#section-5.2: the service may keep it for less. */
function ttlIn({ headers: { ttl } }: ProviderResponse): number | null {
  return typeof ttl === 'string' && /^\d{1,9}$/.test(ttl) ? Number(ttl) : null;
}

/** Returns the reason in the table; undefined: unknown. */
type ReasonIn = (answer: ProviderResponse) => string | undefined;

const REASONS: Readonly<Record<WebPushRoute, ReasonIn>> = {
  webpush_google: ({ status, body }) => {
    if (status === 400 && body.includes('UnauthorizedRegistration')) return 'google_unauthorized_registration';
    if (status === 403 && body.includes(OTHER_CREDENTIALS)) return 'google_key_mismatch';
    return known(`google_${status}`);
  },

  webpush_mozilla: ({ status, body }) => {
    const { errno, message } = parseJsonObject(body) ?? {};
    if (status === 401 && errno === 109 && String(message).includes('VAPID public key mismatch')) {
      return 'mozilla_key_mismatch';
    }
    return typeof errno === 'number' ? `mozilla_${errno}` : undefined;
  },

  webpush_apple: ({ status, body }) => {
    const { reason } = parseJsonObject(body) ?? {};
    return (typeof reason === 'string' ? known(reason) : undefined) ?? known(`apple_${status}`);
  },

  webpush_microsoft: ({ status, headers }) => {
    if (status >= 300) return known(`wns_${status}`);
    const state = headers['x-wns-notificationstatus'] ?? headers['x-wns-status'];
    return typeof state === 'string' ? known(`wns_${state.toLowerCase()}`) : undefined;
  },

  webpush_other: ({ status }) => known(`other_${status}`),
};

const OTHER_CREDENTIALS = 'do not correspond to the credentials used to create the subscription';

function known(reason: string): string | undefined {
  return Object.hasOwn(WEB_PUSH_OUTCOMES.entries, reason) ? reason : undefined;
}
