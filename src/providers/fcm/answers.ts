import type { Outcome } from '../../push.ts';
import { outcomeOfRequest } from '../agent.ts';
import { retryAfterSIn } from '../https.ts';
import { outcomeOf, outcomeOfFault, type ProviderAnswer } from '../outcomes.ts';
import { FCM_OUTCOMES } from './outcomes.ts';

/** Google's error body: https://cloud.google.com/apis/design/errors, with FCM's detail. All parts are optional. */
interface ErrorBody {
  readonly error?: {
    readonly message?: unknown;
    readonly status?: unknown;
    readonly details?: readonly Detail[];
  };
}
interface Detail {
  readonly '@type'?: unknown;
  readonly errorCode?: unknown;
  readonly fieldViolations?: readonly { readonly field?: unknown }[];
  readonly violations?: readonly { readonly subject?: unknown; readonly description?: unknown }[];
}

export function fcmOutcome(error: unknown): Outcome {
  const answer = answerOf(error);
  if (answer === null) return unanswered(error);
  // Only an answer of FCM's own shape is a yes, and that does not end here.
  return answer.status === 200 ? outcomeOfFault('unreadable_answer') : outcomeOf(FCM_OUTCOMES, answer);
}

/**
 * Returns an error's answer; null: none. Ignores firebase-admin's `code`: every 404 is "not registered", every 403
 * "mismatched credential".
 */
function answerOf(error: unknown): ProviderAnswer | null {
  const response = property(error, 'httpResponse');
  const status = property(response, 'status');
  if (typeof status !== 'number') return null;
  const retryAfterS = retryAfterSIn(property(property(response, 'headers'), 'retry-after'));
  return {
    status,
    reason: reasonIn(property(response, 'data')),
    ...(retryAfterS !== null && { retryAfterS }),
  };
}

function unanswered(error: unknown): Outcome {
  const code = property(error, 'code');
  if (code === 'app/network-error') return outcomeOfRequest(property(error, 'cause'));
  if (code === 'app/network-timeout') return outcomeOfFault('timeout');
  if (code === 'app/invalid-credential') return outcomeOfFault('access_token_unavailable');
  if (code === 'app/unable-to-parse-response') return outcomeOfFault('unreadable_answer');
  return outcomeOfFault('message_refused');
}

/** Returns FcmError's detail; any server may have sent a mere status. */
function reasonIn(body: unknown): string | null {
  const failure = (typeof body === 'object' ? (body as ErrorBody | null) : null)?.error;
  if (typeof failure !== 'object' || failure === null) return null;
  const details = Array.isArray(failure.details) ? (failure.details as readonly Detail[]) : [];
  const ofType = (name: string) => details.find((detail) => String(detail?.['@type']).endsWith(name));
  const errorCode = ofType('google.firebase.fcm.v1.FcmError')?.errorCode;

  if (errorCode === 'INVALID_ARGUMENT' && isAboutTheTarget(failure.message, ofType('google.rpc.BadRequest'))) {
    return 'INVALID_TOKEN';
  }
  const reason = errorCode ?? failure.status;
  if (
    (reason === 'QUOTA_EXCEEDED' || reason === 'RESOURCE_EXHAUSTED') &&
    isOfDevice(ofType('google.rpc.QuotaFailure'))
  ) {
    return 'DEVICE_QUOTA_EXCEEDED';
  }
  return typeof reason === 'string' ? reason : null;
}

/** Decides by the named field, else the sentence: bad tokens have no code. */
function isAboutTheTarget(message: unknown, badRequest: Detail | undefined): boolean {
  const fields = badRequest?.fieldViolations?.map(({ field }) => String(field)) ?? [];
  if (fields.length > 0) return fields.every((field) => /^message\.(token|fid)$/.test(field));
  return /registration token|installation id/i.test(String(message));
}

function isOfDevice(quota: Detail | undefined): boolean {
  return (quota?.violations ?? []).some(({ subject, description }) => /device/i.test(`${subject} ${description}`));
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
