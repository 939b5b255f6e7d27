import { BoundExceeded } from '../process/bounded-request.ts';
import { clockSeverity, type Finding, graded, SET_CLOCK, warn } from '../process/finding.ts';
import { toTimestamp } from '../values/timestamp.ts';

/** Why sign-in fails: rest of a sentence about the provider, and advice. */
export interface Trouble {
  readonly message: string;
  readonly advice: string;
}

/** How far this machine's clock was ahead of the provider's, and when. */
export interface ClockOff {
  readonly aheadMs: number;
  readonly atMs: number;
}

/** The allowed difference of the clocks. */
export const SKEW_MS = 30_000;
const MEANWHILE = 'until then, people can sign in with a code: pushctl member pair <email>';

export const troubleWith = {
  issuer: (named: string): Trouble => ({
    message: `calls itself ${named}`,
    advice: 'if that is your provider, set oidc.issuer to exactly this value',
  }),
  secret: (path: string, why: string): Trouble => ({
    message: `cannot be used: the secret ${path} ${why}`,
    advice: 'write the client secret to that file, or change oidc.client_secret_file',
  }),
};

/** Classifies a library error: a fault to fix, or a rejected answer. */
export function troubleOf(error: unknown): Trouble | 'denied' | 'refused' {
  const { code, error: word, cause } = (error ?? {}) as { code?: string; error?: string; cause?: unknown };
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return word === 'access_denied' || word === 'login_required' ? 'denied' : 'refused';
    case 'OAUTH_RESPONSE_BODY_ERROR':
      return word === 'invalid_client' || word === 'unauthorized_client' ? REFUSES_US : 'refused';
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return REFUSES_US;
    case 'OAUTH_TIMEOUT':
      return unreachable('it did not answer in time');
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return unreachable(`it answered ${(cause as { status?: number } | undefined)?.status ?? 'something else'}`);
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
    case 'OAUTH_INVALID_SERVER_METADATA':
    case 'OAUTH_MISSING_SERVER_METADATA':
      return unreachable('its answer does not describe an OpenID provider');
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return otherIssuerIn(cause) ?? 'refused';
    default:
      // fetch keeps the reason apart, in `cause`.
      return error instanceof TypeError && cause !== undefined ? unreachable(reasonOf(cause)) : 'refused';
  }
}

export function oidcFindings(
  provider: { readonly issuer: string; readonly trouble: Trouble | null; readonly clockOff: ClockOff | null } | null,
): Finding[] {
  if (provider === null) return [];
  const { issuer, trouble, clockOff } = provider;
  return [...(clockOff === null ? [] : clockFindings(issuer, clockOff)), ...troubleFindings(issuer, trouble)];
}

/** Reports a wrong clock: the provider's tokens hold times. */
function clockFindings(issuer: string, { aheadMs, atMs }: ClockOff): Finding[] {
  const severity = clockSeverity(aheadMs);
  if (severity === null) return [];
  const off = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  return [graded(severity, 'clock', `was ${off} the provider ${issuer} at ${toTimestamp(atMs)}`, SET_CLOCK)];
}

function troubleFindings(issuer: string, trouble: Trouble | null): Finding[] {
  if (trouble === null) return [];
  return [warn('oidc', `the provider ${issuer} ${trouble.message}; nobody can sign in through it`, trouble.advice)];
}

const REFUSES_US: Trouble = {
  message: 'refuses the client id or its secret',
  advice: `check oidc.client_id and the content of oidc.client_secret_file; ${MEANWHILE}`,
};

function unreachable(reason: string): Trouble {
  return {
    message: `cannot be reached: ${reason}`,
    advice: `check oidc.issuer, and that the provider runs and this machine can reach it; ${MEANWHILE}`,
  };
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  if (cause instanceof BoundExceeded) return cause.message;
  return code ?? message ?? 'the connection failed';
}

/** Returns the other issuer in the library's comparison error; null: it compared something else. */
function otherIssuerIn(cause: unknown): Trouble | null {
  const known = (cause as { cause?: Compared } | undefined)?.cause ?? (cause as Compared | undefined);
  return known?.attribute === 'issuer' ? troubleWith.issuer(String(known.body?.issuer).slice(0, 255)) : null;
}
interface Compared {
  readonly attribute?: string;
  readonly body?: { readonly issuer?: unknown };
}
