import type { Violation } from './checks.ts';

/**
 * FCM's error codes: HTTP status, `error.status`, message, and whether an FcmError detail names the code. Sources: REST
 * reference of `ErrorCode` and real messages. Codes without detail come from the API front end (wrong project, missing
 * role, bad OAuth token).
 */
interface Shape {
  readonly http: number;
  readonly status: string;
  readonly message: string;
  readonly detail: boolean;
}

const SHAPES = {
  UNSPECIFIED_ERROR: shape(500, 'UNKNOWN', 'Unknown error.', true),
  INVALID_ARGUMENT: shape(
    400,
    'INVALID_ARGUMENT',
    'The registration token is not a valid FCM registration token',
    true,
  ),
  UNREGISTERED: shape(404, 'NOT_FOUND', 'Requested entity was not found.', true),
  SENDER_ID_MISMATCH: shape(403, 'PERMISSION_DENIED', 'SenderId mismatch', true),
  QUOTA_EXCEEDED: shape(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.', true),
  /** Our own code: QUOTA_EXCEEDED with a QuotaFailure naming the device. */
  DEVICE_QUOTA_EXCEEDED: shape(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.', true),
  UNAVAILABLE: shape(503, 'UNAVAILABLE', 'The service is currently unavailable.', true),
  INTERNAL: shape(500, 'INTERNAL', 'Internal error encountered.', true),
  THIRD_PARTY_AUTH_ERROR: shape(401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service', true),
  UNAUTHENTICATED: shape(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    false,
  ),
  PERMISSION_DENIED: shape(403, 'PERMISSION_DENIED', "Permission 'cloudmessaging.messages.create' denied.", false),
  NOT_FOUND: shape(404, 'NOT_FOUND', 'Requested entity was not found.', false),
  RESOURCE_EXHAUSTED: shape(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', false),
} as const;

export type FcmCode = keyof typeof SHAPES;

export interface FcmError {
  readonly status: number;
  readonly body: string;
}

/** Returns a code's answer; 500 if undocumented. */
export function fcmError(code: string, httpStatus?: number): FcmError {
  const { http, status, message, detail } = Object.hasOwn(SHAPES, code)
    ? SHAPES[code as FcmCode]
    : SHAPES.UNSPECIFIED_ERROR;
  return errorBody(httpStatus ?? http, status, message, detail ? detailsOf(code) : []);
}

/** Answers 400 with `google.rpc.BadRequest`. FCM adds its detail to violations it finds itself. */
export function badRequest(violation: Violation): FcmError {
  const badRequestDetail = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: violation.field, description: violation.description }],
  };
  const details = violation.byFcm ? [fcmDetail('INVALID_ARGUMENT'), badRequestDetail] : [badRequestDetail];
  return errorBody(400, 'INVALID_ARGUMENT', violation.description, details);
}

function shape(http: number, status: string, message: string, hasDetail: boolean): Shape {
  return { http, status, message, detail: hasDetail };
}

function detailsOf(code: string): readonly object[] {
  if (code !== 'DEVICE_QUOTA_EXCEEDED') return [fcmDetail(code)];
  const violations = [{ subject: 'device', description: 'Device message rate exceeded.' }];
  return [fcmDetail('QUOTA_EXCEEDED'), { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations }];
}

function fcmDetail(errorCode: string): object {
  return { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode };
}

function errorBody(http: number, status: string, message: string, details: readonly object[]): FcmError {
  const error = { code: http, message, status, ...(details.length > 0 && { details }) };
  return { status: http, body: JSON.stringify({ error }, null, 2) };
}
