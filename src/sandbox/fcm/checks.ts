import { isJsonObject, parseJsonObject } from '../../values/json.ts';

export interface Violation {
  /** The dotted path. */
  readonly field: string;
  readonly description: string;
  /** Found by FCM, not Google's JSON parser. */
  readonly byFcm: boolean;
}

export interface FcmRequest {
  readonly message: Readonly<Record<string, unknown>>;
  readonly validateOnly: boolean;
  readonly target: { readonly kind: Target; readonly value: string };
}

const TARGETS = ['token', 'fid', 'topic', 'condition'] as const;
type Target = (typeof TARGETS)[number];

const MESSAGE_MAX_BYTES = 4096;
const TOPIC_MESSAGE_MAX_BYTES = 2048;
const TTL_MAX_S = 2_419_200;
const RESERVED_DATA_KEYS = ['from', 'message_type'];
const RESERVED_DATA_PREFIXES = ['google', 'gcm'];

/** Returns the body of messages:send, or its violation: JSON parser's rules first, then FCM's. */
export function checkRequest(text: string): FcmRequest | Violation {
  const body = parseJsonObject(text);
  if (body === null) return violation('', 'Invalid JSON payload received. Expected an object.');
  const badShape = checkFields(body, REQUEST_FIELDS, '');
  if (badShape !== null) return badShape;
  const { message } = body;
  if (!isJsonObject(message)) return ofFcm('message', 'The message is missing.');
  const targets = TARGETS.filter((kind) => message[kind] !== undefined && message[kind] !== '');
  const [kind] = targets;
  if (kind === undefined || targets.length > 1) {
    return ofFcm('message', 'Exactly one of token, fid, topic or condition is required.');
  }
  const badMessage = checkData(message) ?? checkTtl(message) ?? checkSize(message, kind);
  if (badMessage !== null) return badMessage;
  const validateOnly = body.validate_only === true || body.validateOnly === true;
  return { message, validateOnly, target: { kind, value: String(message[kind]) } };
}

export function isViolation(result: FcmRequest | Violation): result is Violation {
  return 'description' in result;
}

/** Checks Proto JSON: snake_case or lowerCamelCase names, null like absent. */
function checkFields(
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, FieldType>>,
  path: string,
): Violation | null {
  for (const [name, child] of Object.entries(value)) {
    const type = fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    if (type === undefined) {
      const at = path === '' ? '' : ` at '${path}'`;
      return violation(path, `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`);
    }
    const childPath = path === '' ? name : `${path}.${name}`;
    const bad = child === null ? null : checkValue(child, type, childPath);
    if (bad !== null) return bad;
  }
  return null;
}

function checkValue(value: unknown, type: FieldType, path: string): Violation | null {
  if (type === 'any') return null;
  if (type === 'string map') return checkStringMap(value, path);
  if (type === 'strings') {
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? null
      : invalidValue(path, 'TYPE_STRING', value);
  }
  if (type === 'duration') {
    return typeof value === 'string' && /^-?\d+(\.\d{1,9})?s$/.test(value)
      ? null
      : invalidValue(path, 'type.googleapis.com/google.protobuf.Duration', value);
  }
  if (typeof type === 'string') {
    return typeof value === type ? null : invalidValue(path, `TYPE_${type.toUpperCase()}`, value);
  }
  if ('fields' in type)
    return isJsonObject(value) ? checkFields(value, type.fields, path) : invalidValue(path, 'message', value);
  return typeof value === 'string' && type.includes(value) ? null : invalidValue(path, 'enum', value);
}

function checkStringMap(value: unknown, path: string): Violation | null {
  if (!isJsonObject(value)) return invalidValue(path, 'map', value);
  const wrong = Object.values(value).findIndex((item) => typeof item !== 'string');
  if (wrong < 0) return null;
  return invalidValue(`${path}[${wrong}].value`, 'TYPE_STRING', Object.values(value)[wrong]);
}

function checkData(message: Readonly<Record<string, unknown>>): Violation | null {
  const data = isJsonObject(message.data) ? message.data : {};
  const android = isJsonObject(message.android) && isJsonObject(message.android.data) ? message.android.data : {};
  const reserved = [...Object.keys(data), ...Object.keys(android)].find(
    (key) => RESERVED_DATA_KEYS.includes(key) || RESERVED_DATA_PREFIXES.some((prefix) => key.startsWith(prefix)),
  );
  return reserved === undefined ? null : ofFcm('message.data', `Invalid data payload key: ${reserved}`);
}

function checkTtl(message: Readonly<Record<string, unknown>>): Violation | null {
  const ttl = isJsonObject(message.android) ? message.android.ttl : undefined;
  if (typeof ttl !== 'string') return null;
  const seconds = Number(ttl.slice(0, -1));
  if (seconds >= 0 && seconds <= TTL_MAX_S) return null;
  return ofFcm('message.android.ttl', `Invalid ttl: must be between 0 and ${TTL_MAX_S} seconds`);
}

/** Google does not say which bytes count. Strictest reading: the JSON message without its target. */
function checkSize(message: Readonly<Record<string, unknown>>, target: Target): Violation | null {
  const limit = target === 'token' || target === 'fid' ? MESSAGE_MAX_BYTES : TOPIC_MESSAGE_MAX_BYTES;
  const size = Buffer.byteLength(JSON.stringify({ ...message, [target]: undefined }));
  return size <= limit ? null : ofFcm('message', 'Android message is too big');
}

function invalidValue(path: string, type: string, value: unknown): Violation {
  return violation(path, `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`);
}

function violation(field: string, description: string): Violation {
  return { field, description, byFcm: false };
}

function ofFcm(field: string, description: string): Violation {
  return { field, description, byFcm: true };
}

/** FCM's `Message` fields by REST name, from the reference of projects.messages. */
type FieldType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'strings'
  | 'string map'
  | 'any'
  | 'duration'
  | readonly string[]
  | { readonly fields: Readonly<Record<string, FieldType>> };

type Fields = Readonly<Record<string, FieldType>>;

const FCM_OPTIONS: FieldType = { fields: { analytics_label: 'string', image: 'string', link: 'string' } };
const NOTIFICATION: Fields = { title: 'string', body: 'string', image: 'string' };

const ANDROID_NOTIFICATION: Fields = {
  ...NOTIFICATION,
  icon: 'string',
  color: 'string',
  sound: 'string',
  tag: 'string',
  click_action: 'string',
  body_loc_key: 'string',
  body_loc_args: 'strings',
  title_loc_key: 'string',
  title_loc_args: 'strings',
  channel_id: 'string',
  ticker: 'string',
  sticky: 'boolean',
  event_time: 'string',
  local_only: 'boolean',
  notification_priority: [
    'PRIORITY_UNSPECIFIED',
    'PRIORITY_MIN',
    'PRIORITY_LOW',
    'PRIORITY_DEFAULT',
    'PRIORITY_HIGH',
    'PRIORITY_MAX',
  ],
  default_sound: 'boolean',
  default_vibrate_timings: 'boolean',
  default_light_settings: 'boolean',
  vibrate_timings: 'strings',
  visibility: ['VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'],
  notification_count: 'number',
  light_settings: 'any',
  bypass_proxy_notification: 'boolean',
  proxy: ['PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'],
};

const MESSAGE_FIELDS: Fields = {
  name: 'string',
  data: 'string map',
  notification: { fields: NOTIFICATION },
  android: {
    fields: {
      collapse_key: 'string',
      // The service also takes firebase-admin's lower case.
      priority: ['NORMAL', 'HIGH', 'normal', 'high'],
      ttl: 'duration',
      restricted_package_name: 'string',
      data: 'string map',
      notification: { fields: ANDROID_NOTIFICATION },
      fcm_options: FCM_OPTIONS,
      direct_boot_ok: 'boolean',
      bandwidth_constrained_ok: 'boolean',
      restricted_satellite_ok: 'boolean',
    },
  },
  webpush: { fields: { headers: 'string map', data: 'string map', notification: 'any', fcm_options: FCM_OPTIONS } },
  apns: { fields: { headers: 'string map', payload: 'any', fcm_options: FCM_OPTIONS, live_activity_token: 'string' } },
  fcm_options: FCM_OPTIONS,
  token: 'string',
  fid: 'string',
  topic: 'string',
  condition: 'string',
};

const REQUEST_FIELDS: Fields = { message: { fields: MESSAGE_FIELDS }, validate_only: 'boolean' };
