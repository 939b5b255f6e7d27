import { isJsonObject } from '../../values/json.ts';

/** A request to APNs: headers by name, and raw (names and values in turn). */
interface ApnsRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawHeaders: readonly string[];
}

const DEVICE_PATH = '/3/device/';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const COLLAPSE_ID_MAX_BYTES = 64;
const PAYLOAD_MAX_BYTES = 4096;
const VOIP_PAYLOAD_MAX_BYTES = 5120;
/** Exact topics, or suffixes, by push type. */
const TOPIC_SUFFIXES: Readonly<Record<string, string>> = {
  alert: '',
  background: '',
  mdm: '',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  location: '.location-query',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
  widgets: '.push-type.widgets',
  controls: '.push-type.controls',
};

/** Checks path and method, which Apple does first. */
export function checkAddress({ method, path }: ApnsRequest): ApnsReason | null {
  if (!path.startsWith(DEVICE_PATH)) return 'BadPath';
  const token = path.slice(DEVICE_PATH.length);
  if (token === '') return 'MissingDeviceToken';
  if (!/^[\w-]+$/.test(token)) return 'BadPath';
  return method === 'POST' ? null : 'MethodNotAllowed';
}

export function tokenOf(path: string): string {
  return path.slice(DEVICE_PATH.length).toLowerCase();
}

/** Checks `apns-*` headers by "Sending notification requests to APNs". `topics`: the team's bundle IDs. */
export function checkHeaders(request: ApnsRequest, topics: readonly string[]): ApnsReason | null {
  const { headers } = request;
  if (hasDuplicates(request.rawHeaders)) return 'DuplicateHeaders';
  const id = headers['apns-id'];
  if (id !== undefined && !UUID.test(id)) return 'BadMessageId';
  const expiration = headers['apns-expiration'];
  if (expiration !== undefined && !/^\d{1,10}$/.test(expiration)) return 'BadExpirationDate';
  const pushType = headers['apns-push-type'] ?? 'alert';
  if (!Object.hasOwn(TOPIC_SUFFIXES, pushType)) return 'InvalidPushType';
  if (!isGoodPriority(headers['apns-priority'] ?? '10', pushType, headers['apns-priority'] !== undefined)) {
    return 'BadPriority';
  }
  if (Buffer.byteLength(headers['apns-collapse-id'] ?? '') > COLLAPSE_ID_MAX_BYTES) return 'BadCollapseId';
  return checkTopic(headers['apns-topic'], topics, pushType);
}

/** Checks size before content. `payload`: the parsed body. */
export function checkPayload(
  sizeBytes: number,
  payload: Readonly<Record<string, unknown>> | null,
  pushType: string | undefined,
): ApnsReason | null {
  if (sizeBytes === 0) return 'PayloadEmpty';
  if (sizeBytes > maxPayloadBytes(pushType)) return 'PayloadTooLarge';
  // Apple has no reason for bodies without a JSON object or aps.
  if (payload === null || !isJsonObject(payload.aps)) return 'PayloadEmpty';
  return isOfPushType(payload.aps, pushType ?? 'alert') ? null : 'InvalidPushType';
}

export function maxPayloadBytes(pushType: string | undefined): number {
  return pushType === 'voip' ? VOIP_PAYLOAD_MAX_BYTES : PAYLOAD_MAX_BYTES;
}

function hasDuplicates(rawHeaders: readonly string[]): boolean {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!name.startsWith('apns-') && name !== 'authorization') continue;
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
}

/** Background pushes must say 5; Apple's default is 10. */
function isGoodPriority(priority: string, pushType: string, isGiven: boolean): boolean {
  if (pushType === 'background') return isGiven && priority === '5';
  return priority === '10' || priority === '5' || priority === '1';
}

export function topicOf(app: string, pushType = 'alert'): string {
  return app + (TOPIC_SUFFIXES[pushType] ?? '');
}

function checkTopic(given: string | undefined, topics: readonly string[], pushType: string): ApnsReason | null {
  if (given === undefined || given === '') return 'MissingTopic';
  if (!/^[A-Za-z0-9.-]+$/.test(given)) return 'BadTopic';
  if (topics.some((topic) => given === topicOf(topic, pushType))) return null;
  // Other push types' topics are known, but not for this token.
  const isKnown = topics.some((topic) => given.startsWith(`${topic}.`) || given === topic);
  return isKnown ? 'DeviceTokenNotForTopic' : 'TopicDisallowed';
}

function isOfPushType(aps: Readonly<Record<string, unknown>>, pushType: string): boolean {
  const visible = aps.alert !== undefined || aps.sound !== undefined || aps.badge !== undefined;
  if (pushType === 'alert') return visible;
  if (pushType === 'background') return aps['content-available'] === 1 && !visible;
  return true;
}

/** Reasons and statuses from Apple's "Handling notification responses from APNs". */
const STATUSES = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const;

export type ApnsReason = keyof typeof STATUSES;

/** Returns 500 for undocumented reasons. */
export function statusOf(reason: string): number {
  return Object.hasOwn(STATUSES, reason) ? STATUSES[reason as ApnsReason] : 500;
}
