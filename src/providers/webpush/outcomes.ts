import {
  busy,
  DEAD,
  type Entry,
  misconfigured,
  type OutcomeTable,
  ourBug,
  PERHAPS_DEAD,
  REJECTED,
  type TableOutcome,
} from '../outcomes/entry.ts';

const SET_CLOCK = 'Check webpush.contact and the clock of this machine.';
const OTHER_KEY =
  'If many browsers report this at once, the key of this installation has changed: restore the database that holds the old key. Browsers that worked before stay, and their pushes wait until others are accepted.';
const RESUBSCRIBE = 'Nothing to do: the browser gets pushes again once the web app is opened in it.';
const TOO_LARGE = 'The push service does not accept messages of this size.';
const OTHER_KEY_MEANS = 'The browser subscribed with a key other than the one that this installation signs with.';

/**
 * Mozilla's `errno`: https://mozilla-services.github.io/autopush-rs/errors.html, and the fuller
 * `autoendpoint/src/error.rs`.
 */
const MOZILLA: Readonly<Record<string, Entry>> = {
  mozilla_101: ourBug(400, 'Headers of the encryption are missing.'),
  mozilla_102: gone(404, 'The endpoint does not belong to this push service: it cannot be decrypted.'),
  mozilla_103: gone(410, 'The subscription has expired.'),
  mozilla_104: ourBug(413, TOO_LARGE),
  mozilla_105: gone(410, 'The browser unsubscribed.'),
  mozilla_106: gone(410, 'The subscription is no longer valid.'),
  mozilla_108: ourBug(400, 'The push service does not know how to reach the browser.'),
  mozilla_109: unauthorized(401, 'The signature was refused: missing, expired, or not for this push service.'),
  mozilla_110: ourBug(400, 'The encryption is missing, or unknown to the push service.'),
  mozilla_111: ourBug(400, 'A header is missing.'),
  mozilla_113: ourBug(400, 'The Topic header is wrong.'),
  mozilla_114: ourBug(400, 'The TTL header is wrong.'),
  mozilla_201: busy(503, 'The push service is overloaded, and asks clients to wait.'),
  mozilla_202: busy(503, 'The push service could not store the message.'),
  mozilla_900: busy(502, 'The bridge to Firefox on Android failed.'),
  mozilla_901: busy(502, 'The bridge to Firefox on Android is not signed in.'),
  mozilla_902: busy(502, 'The bridge to Firefox on Android could not be reached.'),
  mozilla_903: busy(502, 'The bridge to Firefox on Android did not answer in time.'),
  mozilla_999: busy(500, 'The push service had an internal error.'),
  mozilla_key_mismatch: otherKey(401),
};

/** Google's plain text; most is in Chromium's `components/gcm_driver/web_push_common.cc`. */
const GOOGLE: Readonly<Record<string, Entry>> = {
  google_unauthorized_registration: otherKey(400),
  google_key_mismatch: otherKey(403),
  google_403: unauthorized(403, 'The signature was refused: missing, expired, or not for this push service.'),
  google_404: {
    status: 404,
    outcome: PERHAPS_DEAD,
    means: 'The endpoint is not valid, or was not used for 270 days.',
    remedy:
      'If many browsers report this at once, Google may be at fault. Browsers that worked before stay, and their pushes wait until others are accepted.',
  },
  google_410: gone(410, 'The browser unsubscribed, or the subscription has expired.'),
  google_413: ourBug(413, TOO_LARGE),
  google_429: busy(
    429,
    'Too many pushes in a short time: either of the installation, or over 1,000 a minute if Chrome judges the site disruptive.',
  ),
};

/** https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers */
const APPLE: Readonly<Record<string, Entry>> = {
  BadTtl: ourBug(400, 'The TTL header is wrong.'),
  BadUrgency: ourBug(400, 'The Urgency header is wrong.'),
  BadWebPushTopic: ourBug(400, 'The Topic header is wrong.'),
  BadWebPushRequest: ourBug(400, 'Apple refused the request.'),
  VapidPkHashMismatch: { ...otherKey(403), otherStatus: 400 },
  BadJwtToken: unauthorized(
    403,
    'Apple refused the signature. Apple refuses every contact whose host cannot be public.',
  ),
  BadVapidPublicKey: unauthorized(403, 'Apple refused the public key.'),
  apple_404: gone(404, 'The endpoint does not belong to Apple.'),
  apple_410: gone(410, 'The browser unsubscribed, or the web app was removed.'),
  PayloadTooLarge: ourBug(413, TOO_LARGE),
  TooManyRequests: busy(429, 'Too many pushes went to this one browser in a short time.'),
  apple_500: busy(500, 'Apple had an internal error.'),
  apple_503: busy(503, 'Apple’s service is not available.'),
};

/** https://learn.microsoft.com/windows/apps/develop/notifications/push-notifications/push-request-response-headers */
const MICROSOFT: Readonly<Record<string, Entry>> = {
  wns_dropped: {
    status: 201,
    outcome: REJECTED,
    means: 'Microsoft accepted the push and discarded it: the user or Windows does not allow it now.',
    remedy: 'Nothing to do here: Windows blocks notifications of the browser.',
  },
  wns_channelthrottled: busy(201, 'Microsoft accepted the push and discarded it: too many went to this one browser.'),
  wns_400: ourBug(400, 'Microsoft refused a header, such as a TTL that does not fit X-WNS-Cache-Policy.'),
  wns_401: unauthorized(401, 'The signature was refused.'),
  wns_403: unauthorized(403, 'The signature was refused, or is not for this browser.'),
  wns_404: gone(404, 'The endpoint is not valid.'),
  wns_406: busy(406, 'Too many pushes in a short time.'),
  wns_410: gone(410, 'The browser unsubscribed, or the subscription has expired.'),
  wns_413: ourBug(413, TOO_LARGE),
  wns_429: busy(429, 'Too many pushes in a short time.'),
};

/** https://www.rfc-editor.org/rfc/rfc8030#section-7.3 and what follows it. */
const OTHER: Readonly<Record<string, Entry>> = {
  other_404: gone(404, 'The subscription has expired, or never existed.'),
  other_410: gone(410, 'The browser or app unsubscribed.'),
  other_413: ourBug(413, TOO_LARGE),
  other_429: busy(429, 'Too many pushes in a short time.'),
};

/**
 * Only a service's own words or documented status end a browser: other 404s or 410s may come from in between. Redirects
 * are never followed: the registering client chose the endpoint.
 */
export const WEB_PUSH_OUTCOMES: OutcomeTable = {
  entries: { ...GOOGLE, ...MOZILLA, ...APPLE, ...MICROSOFT, ...OTHER },
  byStatus: { 404: PERHAPS_DEAD, 410: PERHAPS_DEAD, ...redirects() },
};

function redirects(): Readonly<Record<number, TableOutcome>> {
  return Object.fromEntries(Array.from({ length: 100 }, (_, i) => [300 + i, REJECTED]));
}

function gone(status: number, means: string): Entry {
  return { status, outcome: DEAD, means, remedy: RESUBSCRIBE };
}

function unauthorized(status: number, means: string): Entry {
  return misconfigured(status, means, SET_CLOCK);
}

function otherKey(status: number): Entry {
  return { status, outcome: PERHAPS_DEAD, means: OTHER_KEY_MEANS, remedy: OTHER_KEY };
}
