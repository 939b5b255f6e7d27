import {
  busy,
  DEAD,
  type Entry,
  FAULT,
  misconfigured,
  NO_TOUCH,
  type OutcomeTable,
  ourBug,
  PERHAPS_DEAD,
  WAIT,
} from '../outcomes/entry.ts';

const MIX_UP =
  'If many devices report this at once, the configuration is wrong. Check the environment of the devices (production or sandbox) and apns.topic. If you have several apps, check the app that each device names. Devices that worked before stay, and their pushes wait until others are accepted.';
const CHECK_KEY =
  'Check apns.key_file, apns.key_id and apns.team_id in the Apple developer account, then reload (SIGHUP).';
const CHECK_TOPIC =
  "Set apns.topic (or the app's entry in apns.topics) to a bundle ID that the key may send to, then restart. If you have several apps, only the pushes of this app wait.";
const CHECK_ENVIRONMENT = 'Use a key of the right environment: Apple issues them for sandbox, production or both.';

/**
 * Every `reason` of APNs.
 * https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
 */
const ENTRIES: Readonly<Record<string, Entry>> = {
  BadCollapseId: ourBug(400, 'The collapse id is longer than 64 bytes.'),
  BadDeviceToken: {
    status: 400,
    outcome: PERHAPS_DEAD,
    means:
      'The device token does not belong to this environment: it is garbage, or a sandbox token was sent to production, or the reverse.',
    remedy: MIX_UP,
  },
  BadExpirationDate: ourBug(400, 'The expiration header is not a Unix time.'),
  BadMessageId: ourBug(400, 'The apns-id header is not a UUID.'),
  BadPriority: ourBug(400, 'The priority header is not one of 1, 5 and 10.'),
  BadTopic: misconfigured(400, 'The topic is not valid.', CHECK_TOPIC),
  DeviceTokenNotForTopic: {
    status: 400,
    outcome: PERHAPS_DEAD,
    means:
      'The device token belongs to another app than the topic of the push (apns.topic, or the app that the device names).',
    remedy: MIX_UP,
  },
  DuplicateHeaders: ourBug(400, 'A header was sent twice.'),
  IdleTimeout: {
    status: 400,
    outcome: FAULT,
    means: 'Apple closed a connection that had been idle for too long.',
    remedy: WAIT,
  },
  InvalidPushType: ourBug(400, 'The push type is not valid.'),
  MissingDeviceToken: ourBug(400, 'The request named no device.'),
  MissingTopic: misconfigured(400, 'The request had no topic, and the credentials imply none.', CHECK_TOPIC),
  PayloadEmpty: ourBug(400, 'The push had no payload.'),
  TopicDisallowed: misconfigured(400, 'The key may not send to this topic.', CHECK_TOPIC),
  BadCertificate: misconfigured(403, 'The certificate is not valid.', CHECK_KEY),
  BadCertificateEnvironment: misconfigured(403, 'The certificate is for the other environment.', CHECK_ENVIRONMENT),
  BadEnvironmentKeyIdInToken: misconfigured(403, 'The key is not for this environment.', CHECK_ENVIRONMENT),
  BadEnvironmentKeyInToken: misconfigured(403, 'The key is not for this environment.', CHECK_ENVIRONMENT),
  ExpiredProviderToken: misconfigured(
    403,
    'The signed token is older than an hour by Apple’s clock. The token that replaced it was, too.',
    'Check the clock of this machine (timedatectl). When it is right, the next attempt uses a new token.',
  ),
  Forbidden: misconfigured(403, 'The action is not allowed for this key.', CHECK_KEY),
  InvalidProviderToken: misconfigured(
    403,
    'The signed token is not valid: the key, key id or team is wrong, the key is revoked, or the clock is ahead.',
    `${CHECK_KEY} Check the clock of this machine as well (timedatectl).`,
  ),
  MissingProviderToken: misconfigured(403, 'No signed token was sent.', CHECK_KEY),
  UnrelatedKeyIdInToken: misconfigured(
    403,
    'The connection was opened with another key of the team; the next attempt uses a new connection.',
    CHECK_KEY,
  ),
  BadPath: ourBug(404, 'The request path is not valid.'),
  MethodNotAllowed: ourBug(405, 'The request method was not POST.'),
  ExpiredToken: { status: 410, outcome: DEAD, means: 'The device token has expired.', remedy: NO_TOUCH },
  Unregistered: {
    status: 410,
    outcome: DEAD,
    means: 'The app was removed from the device, or no longer takes pushes.',
    remedy: NO_TOUCH,
  },
  PayloadTooLarge: ourBug(413, 'The payload is larger than 4096 bytes, although pushctl shortened it.'),
  TooManyProviderTokenUpdates: {
    status: 429,
    outcome: { kind: 'unavailable', retryAfterS: 1200 },
    means: 'New signed tokens came too often, and pushctl knows no token that Apple accepted before.',
    remedy:
      'Nothing to do here: all servers of a database share one token. Check whether another program signs with the same key.',
  },
  TooManyRequests: busy(429, 'Too many pushes went to this one device in a short time.'),
  InternalServerError: busy(500, 'Apple had an internal error.'),
  ServiceUnavailable: busy(503, 'Apple’s service is not available.'),
  Shutdown: busy(503, 'Apple’s server is shutting down.'),
};

/** Any 410 is a dead token to Apple, even with a new reason. */
export const APNS_OUTCOMES = {
  entries: ENTRIES,
  byStatus: { 410: PERHAPS_DEAD },
} as const satisfies OutcomeTable;
