import {
  busy,
  DEAD,
  type Entry,
  misconfigured,
  NO_TOUCH,
  type OutcomeTable,
  ourBug,
  PERHAPS_DEAD,
  REJECTED,
  UNAUTHORIZED,
  waiting,
} from '../outcomes/entry.ts';

/** Google's default where a 429 has no `Retry-After`. */
const QUOTA = { kind: 'unavailable', retryAfterS: 60 } as const;
const RAISE_QUOTA = waiting('Lower fcm.per_minute, or ask Google to raise the quota of the project.');

/**
 * All errors of FCM's HTTP v1 API: FcmError's `errorCode`, else Google's RPC status. `INVALID_TOKEN` and
 * `DEVICE_QUOTA_EXCEEDED` are our names for cases told by details.
 * https://firebase.google.com/docs/cloud-messaging/error-codes
 */
const ENTRIES: Readonly<Record<string, Entry>> = {
  INVALID_ARGUMENT: ourBug(400, 'FCM refused a field of the message.'),
  INVALID_TOKEN: {
    status: 400,
    outcome: PERHAPS_DEAD,
    means: 'The registration token or installation ID is not valid.',
    remedy:
      'If many devices report this at once, check how the app registers. Devices that worked before stay, and their pushes wait until others are accepted.',
  },
  FAILED_PRECONDITION: misconfigured(
    400,
    'The Firebase project is not set up for this.',
    'Check the project in the Firebase console.',
  ),
  UNAUTHENTICATED: misconfigured(
    401,
    'The access token was refused; the next attempt gets a new one.',
    'Check fcm.service_account_file and the clock of this machine.',
  ),
  THIRD_PARTY_AUTH_ERROR: {
    status: 401,
    outcome: REJECTED,
    means:
      'The target is not an Android device. FCM would have to reach it through APNs or web push, but has no credentials for that.',
    remedy: 'Register iOS devices with platform ios and their APNs token. The device is kept.',
  },
  PERMISSION_DENIED: misconfigured(
    403,
    'The service account may not send, or the FCM API is disabled in the project.',
    'Enable the Firebase Cloud Messaging API, and give the account the role Firebase Cloud Messaging API Admin.',
  ),
  SENDER_ID_MISMATCH: {
    status: 403,
    outcome: PERHAPS_DEAD,
    means: 'The token belongs to another Firebase project.',
    remedy:
      'If many devices report this at once, the service account belongs to the wrong project. Devices that worked before stay, and their pushes wait until others are accepted.',
  },
  NOT_FOUND: misconfigured(
    404,
    'FCM does not know the project or the path. It says nothing about the device.',
    'Check the project_id in fcm.service_account_file, and fcm.endpoint.',
  ),
  UNREGISTERED: {
    status: 404,
    outcome: DEAD,
    means: 'The app was removed from the device, or its token was replaced or has expired.',
    remedy: NO_TOUCH,
  },
  QUOTA_EXCEEDED: { status: 429, outcome: QUOTA, means: "The project's quota is used up.", remedy: RAISE_QUOTA },
  RESOURCE_EXHAUSTED: { status: 429, outcome: QUOTA, means: "The project's quota is used up.", remedy: RAISE_QUOTA },
  DEVICE_QUOTA_EXCEEDED: busy(429, 'Too many pushes went to this one device in a short time.'),
  INTERNAL: busy(500, 'Google had an internal error.'),
  UNSPECIFIED_ERROR: busy(500, 'Google gave no reason.'),
  UNAVAILABLE: busy(503, 'Google’s service is overloaded or not available.'),
  DEADLINE_EXCEEDED: busy(504, 'Google’s service took too long.'),
};

/** A 404 without FCM's own word never concerns a device. */
export const FCM_OUTCOMES = {
  entries: ENTRIES,
  byStatus: { 404: UNAUTHORIZED },
} as const satisfies OutcomeTable;
