import { APNS_REASONS } from './apns/reasons.ts';
import { type Answer, BEHAVIOURS, type BehaviourName, type SingleAnswer } from './behaviours.ts';
import { FCM_CODES } from './fcm/errors.ts';
import { isObject } from './jwt.ts';
import type { Outage } from './listener.ts';
import { FACES, type Face, type Match, type Rule } from './rules.ts';
import type { TokenRequest } from './tokens.ts';

/** Orders to a sandbox from outside: unknown JSON → typed order, or one sentence that says what is wrong. */

const OUTAGES: readonly Outage[] = ['none', 'refused', 'black_hole'];
const PLAIN_KINDS = ['reset', 'silent', 'hang_up', 'cut', 'garbage', 'empty', 'html'] as const;
const REASONS: readonly string[] = [...APNS_REASONS, ...FCM_CODES];
const PARAMETER_MAX = 65_535;

export function parseRule(value: unknown): Rule | string {
  if (!isObject(value)) return 'A behaviour is a JSON object with an answer.';
  const match = parseMatch(value.match ?? {});
  if (typeof match === 'string') return match;
  const answer = parseAnswer(value.answer);
  if (typeof answer === 'string') return answer;
  if (value.times === undefined) return { match, answer };
  if (!isCount(value.times) || value.times === 0) return 'times must be a whole number above 0.';
  return { match, answer, times: value.times };
}

export function parseOutage(value: unknown): { readonly face: Face; readonly outage: Outage } | string {
  if (!isObject(value)) return 'An outage is a JSON object with face and outage.';
  const { face, outage } = value;
  if (!isOneOf(FACES, face)) return `face must be one of ${FACES.join(', ')}.`;
  if (!isOneOf(OUTAGES, outage)) return `outage must be one of ${OUTAGES.join(', ')}.`;
  return { face, outage };
}

export function parseTokenRequest(value: unknown): TokenRequest | string {
  if (!isObject(value)) return 'A token request is a JSON object with a platform.';
  const {
    platform,
    environment = 'production',
    tokenKind = 'token',
    behaviour = 'accept',
    parameter = 0,
    label,
  } = value;
  if (platform !== 'ios' && platform !== 'android') return 'platform must be ios or android.';
  if (environment !== 'production' && environment !== 'sandbox') return 'environment must be production or sandbox.';
  if (tokenKind !== 'token' && tokenKind !== 'installation_id') return 'tokenKind must be token or installation_id.';
  if (!isOneOf<BehaviourName>(BEHAVIOURS, behaviour)) return `behaviour must be one of ${BEHAVIOURS.join(', ')}.`;
  if (!isCount(parameter) || parameter > PARAMETER_MAX) return `parameter must be between 0 and ${PARAMETER_MAX}.`;
  if (label !== undefined && typeof label !== 'string') return 'label must be a string.';
  return { platform, environment, tokenKind, behaviour, parameter, ...(label !== undefined && { label }) };
}

function parseMatch(value: unknown): Match | string {
  if (!isObject(value)) return 'match must be an object.';
  const { face, token } = value;
  if (face !== undefined && !isOneOf(FACES, face)) return `match.face must be one of ${FACES.join(', ')}.`;
  if (token !== undefined && typeof token !== 'string') return 'match.token must be a string.';
  return { ...(face !== undefined && { face }), ...(token !== undefined && { token }) };
}

function parseAnswer(value: unknown): Answer | string {
  if (!isObject(value) || value.kind !== 'alternate') return parseSingle(value);
  if (!Array.isArray(value.answers)) return 'answer.answers must be an array.';
  const parsed = value.answers.map(parseSingle);
  const wrong = parsed.find((each) => typeof each === 'string');
  if (wrong !== undefined) return wrong;
  const [first, ...rest] = parsed.filter((each) => typeof each !== 'string');
  return first === undefined ? 'answer.answers must not be empty.' : { kind: 'alternate', answers: [first, ...rest] };
}

function parseSingle(value: unknown): SingleAnswer | string {
  if (!isObject(value)) return 'answer must be an object with a kind.';
  const { kind, afterMs, everyMs, twice = false } = value;
  if (isOneOf(PLAIN_KINDS, kind)) return { kind };
  switch (kind) {
    case 'accept':
      if (afterMs === undefined) return { kind };
      return isCount(afterMs) ? { kind, afterMs } : 'answer.afterMs must be a whole number.';
    case 'refuse':
      return parseRefusal(value);
    case 'drip':
      return isCount(everyMs) ? { kind, everyMs } : 'answer.everyMs must be a whole number.';
    case 'goaway':
      return typeof twice === 'boolean' ? { kind, twice } : 'answer.twice must be true or false.';
    default:
      return `answer.kind must be one of accept, refuse, drip, goaway, alternate, ${PLAIN_KINDS.join(', ')}.`;
  }
}

function parseRefusal({ reason, status, retryAfterS }: Record<string, unknown>): SingleAnswer | string {
  if (typeof reason !== 'string') return 'answer.reason must be a string.';
  if (status !== undefined && !(isCount(status) && status >= 400 && status <= 599)) {
    return 'answer.status must be between 400 and 599.';
  }
  if (status === undefined && !REASONS.includes(reason)) {
    return `answer.reason must be a documented one without answer.status: ${REASONS.join(', ')}.`;
  }
  if (retryAfterS !== undefined && !isCount(retryAfterS)) return 'answer.retryAfterS must be a whole number.';
  return {
    kind: 'refuse',
    reason,
    ...(status !== undefined && { status }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  };
}

function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return list.some((each) => each === value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
