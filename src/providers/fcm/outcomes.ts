import {
  BUSY,
  DEAD,
  type Entry,
  NO_TOUCH,
  OUR_BUG,
  type OutcomeTable,
  PERHAPS_DEAD,
  REJECTED,
  UNAUTHORIZED,
  WAIT,
} from '../outcomes/entry.ts';

/** Google's default where a 429 has no `Retry-After`. */
const QUOTA = { kind: 'unavailable', retryAfterS: 60 } as const;
const WAITS = 'Nothing is lost meanwhile: the queue waits, and one push at a time probes whether it works again.';
const RAISE_QUOTA = `Lower fcm.per_minute, or have the project's quota raised. ${WAITS}`;

/**
 * Every error of FCM's HTTP v1 API: the `errorCode` of its FcmError detail, else the status of Google's RPCs. Two of
 * them are split by what their details say: `INVALID_TOKEN` and `DEVICE_QUOTA_EXCEEDED` are names of ours.
 * https://firebase.google.com/docs/cloud-messaging/error-codes
 */
const ENTRIES: Readonly<Record<string, Entry>> = {
  INVALID_ARGUMENT: { status: 400, outcome: REJECTED, means: 'FCM refused a field of the message.', remedy: OUR_BUG },
  INVALID_TOKEN: {
    status: 400,
    outcome: PERHAPS_DEAD,
    means: 'The registration token or installation ID is not a valid one.',
    remedy:
      'If many devices report this at once, check how the app registers. Devices that were good stay, and their pushes wait, until others are accepted.',
  },
  FAILED_PRECONDITION: {
    status: 400,
    outcome: UNAUTHORIZED,
    means: 'The Firebase project is not set up for this.',
    remedy: `Check the project in the Firebase console. ${WAITS}`,
  },
  UNAUTHENTICATED: {
    status: 401,
    outcome: UNAUTHORIZED,
    means: 'The access token was refused; the next try gets a new one.',
    remedy: `Check fcm.service_account_file and the clock of this machine. ${WAITS}`,
  },
  THIRD_PARTY_AUTH_ERROR: {
    status: 401,
    outcome: REJECTED,
    means:
      'The target is not an Android device: FCM would have to reach it through APNs or web push, without credentials.',
    remedy: 'Register iOS devices with platform ios and their APNs token. The device is kept.',
  },
  PERMISSION_DENIED: {
    status: 403,
    outcome: UNAUTHORIZED,
    means: 'The service account may not send, or the FCM API is disabled in the project.',
    remedy: `Enable the Firebase Cloud Messaging API, and give the account the role Firebase Cloud Messaging API Admin. ${WAITS}`,
  },
  SENDER_ID_MISMATCH: {
    status: 403,
    outcome: PERHAPS_DEAD,
    means: 'The token belongs to another Firebase project.',
    remedy:
      'If many devices report this at once, the service account is of the wrong project. Devices that were good stay, and their pushes wait, until others are accepted.',
  },
  NOT_FOUND: {
    status: 404,
    outcome: UNAUTHORIZED,
    means: 'FCM does not know the project or the path. It says nothing about the device.',
    remedy: `Check the project_id in fcm.service_account_file, and fcm.endpoint. ${WAITS}`,
  },
  UNREGISTERED: {
    status: 404,
    outcome: DEAD,
    means: 'The app was removed from the device, or its token was replaced or has expired.',
    remedy: NO_TOUCH,
  },
  QUOTA_EXCEEDED: { status: 429, outcome: QUOTA, means: "The project's quota is used up.", remedy: RAISE_QUOTA },
  RESOURCE_EXHAUSTED: { status: 429, outcome: QUOTA, means: "The project's quota is used up.", remedy: RAISE_QUOTA },
  DEVICE_QUOTA_EXCEEDED: {
    status: 429,
    outcome: BUSY,
    means: 'Too many pushes went to this one device in a short time.',
    remedy: WAIT,
  },
  INTERNAL: { status: 500, outcome: BUSY, means: 'Google had an internal error.', remedy: WAIT },
  UNSPECIFIED_ERROR: { status: 500, outcome: BUSY, means: 'Google gave no reason.', remedy: WAIT },
  UNAVAILABLE: { status: 503, outcome: BUSY, means: 'Google’s service is overloaded or not available.', remedy: WAIT },
  DEADLINE_EXCEEDED: { status: 504, outcome: BUSY, means: 'Google’s service took too long.', remedy: WAIT },
};

/** A 404 without FCM's own word is of whatever answered at that path: it says nothing about a device. */
export const FCM_OUTCOMES = {
  entries: ENTRIES,
  byStatus: { 404: UNAUTHORIZED },
} as const satisfies OutcomeTable;
