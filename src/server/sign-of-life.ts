import type { Logger } from 'pino';
import { sendRequest } from '../process/bounded-request.ts';
import type { After } from '../process/clock.ts';
import type { ServerFindings } from './findings.ts';

/** A slower monitor counts as unreachable. */
const ANSWERS_WITHIN_MS = 10_000;

export interface SignOfLifeOptions {
  readonly url: string;
  readonly everyMs: number;
  readonly findings: Pick<ServerFindings, 'stopping'>;
  readonly after: After;
  readonly log: Logger;
  /** Used by tests only. */
  readonly withinMs?: number;
}

/**
 * Reports to a monitor elsewhere that this server takes events, as `/readyz` says. Otherwise stays silent, so the
 * monitor reports it like a lost server. The address is secret: the log has only its host.
 */
export class SignOfLife {
  readonly #options: SignOfLifeOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #isTaken = true;

  constructor(options: SignOfLifeOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#report();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #report(): Promise<void> {
    const { url, everyMs, findings, after, withinMs = ANSWERS_WITHIN_MS } = this.#options;
    if ((await findings.stopping('events')) === null) this.#logFault(await faultOf(url, withinMs));
    if (!this.#isStopped) this.#cancel = after(everyMs, () => void this.#report());
  }

  /** Logs the first failure and the recovery. */
  #logFault(fault: string | null): void {
    const { log, url } = this.#options;
    const { host } = new URL(url);
    if (fault !== null && this.#isTaken) log.warn({ host, reason: fault }, 'watchdog.url did not accept the heartbeat');
    if (fault === null && !this.#isTaken) log.info({ host }, 'watchdog.url accepts the heartbeat again');
    this.#isTaken = fault === null;
  }
}

/** Returns a request's fault; null: none. */
async function faultOf(url: string, withinMs: number): Promise<string | null> {
  try {
    // Redirects are failures: other hosts must not learn the address, and a sign-in page is no success.
    const { status } = await sendRequest(url, { withinMs, mostBytes: 0 });
    return status >= 200 && status < 300 ? null : `HTTP ${status}`;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return code ?? name;
  }
}
