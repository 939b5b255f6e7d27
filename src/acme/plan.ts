import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { AcmeProblem } from './problem.ts';
import type { AcmeState } from './state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_WAIT_MS = HOUR_MS;
const LONGEST_WAIT_MS = DAY_MS;
/** The longest span of a limit of Let's Encrypt. */
const LONGEST_RETRY_AFTER_MS = 7 * DAY_MS;
/** The least time between certificates, whatever authority and clocks say; at most a third of a life. */
const LEAST_APART_MS = DAY_MS;
const LOOK_EVERY_MS = 12 * HOUR_MS;
const LONGEST_LOOK_MS = 2 * LOOK_EVERY_MS;
/** A smaller offset is fine. */
const FINE_CLOCK_MS = 5 * 60_000;

export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Step {
  /** `look`: ask the authority when to renew. */
  readonly what: 'order' | 'look';
  readonly atMs: number;
}

/** Returns the authority's time, if this machine's clock is wrong. */
export function rightMs(wallMs: number, { clockOffMs }: Pick<AcmeState, 'clockOffMs'>): number {
  return isClockWrong({ clockOffMs }) ? wallMs + clockOffMs : wallMs;
}

export function isClockWrong({ clockOffMs }: Pick<AcmeState, 'clockOffMs'>): boolean {
  return Math.abs(clockOffMs) > FINE_CLOCK_MS;
}

/** Returns the next step. `held`: the matching certificate; null: none. */
export function nextStep(state: AcmeState, held: Validity | null, nowMs: number): Step {
  const order: Step = { what: 'order', atMs: Math.max(renewalMs(state, held, nowMs), waitsUntilMs(state, nowMs)) };
  if (held === null) return order;
  const lookAtMs =
    state.lookAtMs === null || isOfWrongClock(state.lookAtMs, LONGEST_LOOK_MS, nowMs) ? nowMs : state.lookAtMs;
  return lookAtMs < order.atMs ? { what: 'look', atMs: lookAtMs } : order;
}

/** Returns the authority's date, else two thirds of the life; at least a ninth before its end. */
function renewalMs({ renewal, orderedAtMs }: AcmeState, held: Validity | null, nowMs: number): number {
  if (held === null) return nowMs;
  const thirdMs = (held.toMs - held.fromMs) / 3;
  const atMs = Math.min(renewal?.atMs ?? held.fromMs + 2 * thirdMs, held.toMs - thirdMs / 3);
  const isKnown = orderedAtMs !== null && orderedAtMs <= nowMs;
  return isKnown ? Math.max(atMs, orderedAtMs + Math.min(LEAST_APART_MS, thirdMs)) : atMs;
}

function waitsUntilMs({ nextTryAtMs }: AcmeState, nowMs: number): number {
  if (nextTryAtMs === null || isOfWrongClock(nextTryAtMs, LONGEST_RETRY_AFTER_MS + DAY_MS, nowMs)) return nowMs;
  return nextTryAtMs;
}

/** Detects a time beyond any wait, by a wrong clock: it must delay nothing. */
function isOfWrongClock(atMs: number, longestMs: number, nowMs: number): boolean {
  return atMs > nowMs + longestMs;
}

/** Returns the wait after failures: an hour, doubling to a day, or the authority's. */
export function waitMs(failures: number, { retryAfterMs }: Pick<AcmeProblem, 'retryAfterMs'>, random: number): number {
  const ownMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS) * (0.9 + 0.2 * random);
  return Math.round(Math.max(ownMs, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}

/** Returns the next look: twice a day, or the authority's within bounds (RFC 9773, section 4.3). */
export function lookAgainMs(retryAfterMs: number | null): number {
  return Math.min(Math.max(retryAfterMs ?? LOOK_EVERY_MS, HOUR_MS), LONGEST_LOOK_MS);
}

/** Returns the validity of a pair: key and chain, PEM in one text. */
export function validityOf(pair: string): Validity {
  const { validFrom, validTo } = new X509Certificate(pair);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}

/** Returns why a new pair cannot be served; null: it can. */
export function whyUnusable(pair: string, domains: readonly string[]): string | null {
  try {
    const certificate = new X509Certificate(pair);
    if (!certificate.checkPrivateKey(createPrivateKey(pair))) return 'it issued a certificate for another key';
    const missing = domains.find((domain) => certificate.checkHost(domain) === undefined);
    if (missing !== undefined) return `it issued a certificate that is not for ${missing}`;
    // Also reads the chain.
    createSecureContext({ cert: pair, key: pair });
    return null;
  } catch (error) {
    return `it issued a certificate that the server cannot use: ${(error as Error).message}`;
  }
}
