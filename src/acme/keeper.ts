import type { Logger } from 'pino';
import type { AcmeSettings } from '../config/config.ts';
import type { After, Clock } from '../process/clock.ts';
import type { Finding } from '../process/finding.ts';
import { acmeFindings } from './findings.ts';
import type { OrderJob, Outcome } from './order.ts';
import {
  isClockWrong,
  lookAgainMs,
  nextStep,
  rightMs,
  type Step,
  type Validity,
  validityOf,
  waitMs,
  whyUnusable,
} from './plan.ts';
import { type AcmeProblem, authorityOf, sentenceOf } from './problem.ts';
import { certificateId, type RenewalInfo } from './requests.ts';
import { makeAccountKey } from './run-order.ts';
import { type AcmeState, freshState, KeptFiles, type TlsFolder, wanted } from './state.ts';

/** A wall clock that was set is noticed within this time. */
const LONGEST_SLEEP_MS = 3_600_000;
const POLL_MS = 1_000;
/** The least time before a requested retry. */
const LEAST_BETWEEN_TRIES_MS = 60_000;
/** The interval of comparing clocks without the authority's time. */
const COMPARE_AGAIN_MS = 600_000;

/** How many tries stops of the server may cut off before each of them counts as failed. */
const FEW_CUT_OFF = 3;

export interface KeeperDeps {
  readonly settings: AcmeSettings;
  /** PEM of the CA to trust instead of the system's. */
  readonly ca: string | null;
  readonly folder: Pick<TlsFolder, 'accountKey' | 'pair' | 'state' | 'putAccountKey' | 'putPair' | 'putState'>;
  /** Each try begins with another one. */
  readonly challenges: OrderJob['challenges'];
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly after: After;
  readonly random: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly order: (job: OrderJob) => Promise<Outcome>;
  readonly askRenewalInfo: (directory: string, pem: string | null, ca: string | null) => Promise<RenewalInfo>;
  /** The interval of looking for the result, for tests. */
  readonly pollMs?: number;
}

/**
 * Keeps an ACME certificate: orders, renews and retries. Writes each try to disk before it asks, so that no restart
 * repeats it and an unwritable folder asks nothing.
 */
export class CertificateKeeper {
  readonly #deps: KeeperDeps;
  #state: AcmeState;
  /** The certificate with its key; null: none matches the settings. */
  #pair: string | null;
  #served: Validity | null;
  readonly #files: KeptFiles;
  #onPair: (pair: string) => void = () => {};
  #cancel: () => void = () => {};
  #isBusy = false;
  #isAsking = false;
  #isStopped = false;
  /** This machine's clock may have changed. */
  #isClockDoubted: boolean;
  #cancelDoubt: () => void = () => {};

  constructor(deps: KeeperDeps) {
    const { folder, settings } = deps;
    this.#deps = deps;
    this.#files = new KeptFiles(folder, deps.log);
    const kept = folder.pair();
    this.#pair = kept !== null && whyUnusable(kept, []) === null ? kept : null;
    this.#served = this.#pair === null ? null : validityOf(this.#pair);
    const state = folder.state();
    this.#state = state?.wanted === wanted(settings) ? { ...freshState(settings), ...state } : freshState(settings);
    this.#isClockDoubted = isClockWrong(this.#state);
  }

  /** Returns certificate and key; null: none yet. */
  get pair(): string | null {
    return this.#pair;
  }

  get findings(): readonly Finding[] {
    const { settings, clock } = this.#deps;
    return acmeFindings(
      { settings, state: this.#state, served: this.#served, isAsking: this.#isAsking, unkept: this.#files.unkept },
      clock.wallMs(),
    );
  }

  /** `onPair`: called with each certificate that comes. */
  start(onPair: (pair: string) => void): void {
    this.#onPair = onPair;
    this.#sleep();
  }

  /** Stops. An interrupted order is repeated after the next start, a few times. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancel();
    this.#cancelDoubt();
    if (!this.#isAsking || this.#state.cutOff > FEW_CUT_OFF) return;
    this.#state = { ...this.#state, nextTryAtMs: this.#nowMs() + LEAST_BETWEEN_TRIES_MS };
    this.#files.putState(this.#state);
  }

  /** Compares clocks before the next step, since this one may have been set. */
  doubtClock(): void {
    if (this.#isStopped) return;
    this.#cancelDoubt();
    this.#isClockDoubted = true;
    if (this.#isBusy) return;
    this.#cancel();
    void this.#wake();
  }

  /** Retries a failed try, unless the authority asked to wait. Compares a wrong clock again. */
  tryNow(): void {
    if (this.#isBusy || this.#isStopped) return;
    const { problem, triedAtMs } = this.#state;
    const hasJustTried = triedAtMs !== null && Math.abs(this.#deps.clock.wallMs() - triedAtMs) < LEAST_BETWEEN_TRIES_MS;
    const mayTry = problem !== null && problem.retryAfterMs === null && !hasJustTried;
    this.#isClockDoubted ||= isClockWrong(this.#state);
    if (!mayTry && !this.#isClockDoubted) return;
    if (mayTry) this.#state = { ...this.#state, nextTryAtMs: this.#nowMs() };
    this.#cancel();
    void this.#wake();
  }

  #sleep(): void {
    if (this.#isStopped) return;
    const ms = Math.max(0, Math.min(this.#next().atMs - this.#nowMs(), LONGEST_SLEEP_MS));
    this.#cancel = this.#deps.after(ms, () => void this.#wake());
  }

  async #wake(): Promise<void> {
    this.#isBusy = true;
    try {
      this.#files.keepAgain();
      const { what, atMs } = this.#next();
      if (atMs <= this.#nowMs()) await (what === 'order' ? this.#order() : this.#look());
    } catch (error) {
      if (this.#isStopped) return;
      const { message, code } = error as NodeJS.ErrnoException;
      this.#failed({ sentence: sentenceOf(message), type: code ?? null, retryAfterMs: null });
      this.#files.keepState(this.#state);
    } finally {
      this.#isBusy = false;
      this.#sleep();
    }
  }

  #next(): Step {
    if (this.#isClockDoubted) return { what: 'look', atMs: this.#nowMs() };
    return nextStep(this.#state, this.#held(), this.#nowMs());
  }

  #nowMs(): number {
    return rightMs(this.#deps.clock.wallMs(), this.#state);
  }

  /** Returns the served certificate if it matches. */
  #held(): Validity | null {
    return this.#state.orderedAtMs === null ? null : this.#served;
  }

  async #order(): Promise<void> {
    const { settings, ca, clock, random, challenges, pollMs = POLL_MS } = this.#deps;
    const replaces = this.#pair !== null && this.#state.renewal !== null ? certificateId(this.#pair) : null;
    // Recorded as failed first, so a crash does not ask again at once.
    const { failures, cutOff } = this.#state;
    const laterMs = waitMs(failures + 1 + Math.max(0, cutOff - FEW_CUT_OFF), { retryAfterMs: null }, random());
    const nextTryAtMs = this.#nowMs() + laterMs;
    this.#state = { ...this.#state, triedAtMs: clock.wallMs(), nextTryAtMs, cutOff: cutOff + 1 };
    // Kept before registration: accounts per try are soon rate limited.
    const accountKey = this.#files.accountKey ?? makeAccountKey();
    const unkept = this.#files.putAccountKey(accountKey) ?? this.#files.putState(this.#state);
    if (unkept !== null) {
      this.#failed({ ...unkept, sentence: `pushctl did not ask, because ${unkept.sentence}` });
      return;
    }
    const { domains, contact, directory } = settings;
    const outcome = await this.#ask({
      settings: { domains, contact, directory },
      ca,
      accountKey,
      replaces,
      challenges: failures % 2 === 0 ? challenges : challenges.toReversed(),
      pollMs,
    });
    if (this.#isStopped) return;
    const { pair, clockOffMs } = outcome;
    this.#noteClock(clockOffMs);
    const unusable = pair === null ? null : whyUnusable(pair, domains);
    if (pair !== null && unusable === null) this.#came(pair);
    else this.#failed(outcome.problem ?? { ...NO_REASON, sentence: unusable ?? NO_REASON.sentence });
    this.#files.keepState(this.#state);
  }

  /** Null: the authority did not say. */
  #noteClock(clockOffMs: number | null): void {
    if (clockOffMs === null) return;
    this.#state = { ...this.#state, clockOffMs, clockAskedAtMs: this.#deps.clock.wallMs() };
  }

  async #ask(job: OrderJob): Promise<Outcome> {
    this.#isAsking = true;
    try {
      return await this.#deps.order(job);
    } finally {
      this.#isAsking = false;
    }
  }

  #came(pair: string): void {
    const { settings, log } = this.#deps;
    this.#onPair(pair);
    const nowMs = this.#nowMs();
    const { clockOffMs, clockAskedAtMs } = this.#state;
    this.#state = { ...freshState(settings), clockOffMs, clockAskedAtMs, orderedAtMs: nowMs, lookAtMs: nowMs };
    this.#pair = pair;
    this.#served = validityOf(pair);
    this.#files.keepPair(pair);
    log.info({ authority: authorityOf(settings), ends: new Date(this.#served.toMs) }, 'a new certificate was issued');
  }

  #failed(problem: AcmeProblem): void {
    const { settings, log, random } = this.#deps;
    const failures = this.#state.failures + 1;
    const nextTryAtMs = this.#nowMs() + waitMs(failures, problem, random());
    this.#state = { ...this.#state, failures, cutOff: 0, nextTryAtMs, problem };
    const about = { authority: authorityOf(settings), reason: problem.sentence, next: new Date(nextTryAtMs) };
    log.warn(about, 'no certificate was issued');
  }

  /** Asks the authority when to renew. If that fails, the certificate's own life decides. */
  async #look(): Promise<void> {
    const { settings, ca, random } = this.#deps;
    const isComparing = this.#isClockDoubted;
    this.#isClockDoubted = false;
    const info = await this.#deps.askRenewalInfo(settings.directory, this.#pair, ca).catch(() => null);
    if (this.#isStopped) return;
    this.#noteClock(info?.clockOffMs ?? null);
    if (isComparing && info?.clockOffMs == null) {
      this.#cancelDoubt = this.#deps.after(COMPARE_AGAIN_MS, () => this.doubtClock());
    }
    const window = info?.window ?? null;
    const { renewal } = this.#state;
    const isSame = window?.startMs === renewal?.startMs && window?.endMs === renewal?.endMs;
    // The time is random within the window, and stays the same as long as the window does (RFC 9773, section 4.2).
    const chosen = window && { ...window, atMs: window.startMs + random() * (window.endMs - window.startMs) };
    this.#state = {
      ...this.#state,
      renewal: info === null || isSame ? renewal : chosen,
      lookAtMs: this.#nowMs() + lookAgainMs(info?.retryAfterMs ?? null),
    };
    this.#files.keepState(this.#state);
  }
}

const NO_REASON: AcmeProblem = { sentence: 'it gave no reason', type: null, retryAfterMs: null };
