import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { App } from '../http/app.ts';
import type { RunningHttp } from '../http/listeners/listener.ts';
import type { RunningSmtp } from '../http/senders/smtp/listener.ts';
import type { ServingStore } from '../store/serving-store.ts';
import type { Closers } from './closers.ts';
import type { Renewals } from './credential-rotation.ts';
import { type Delivery, SETTLE_GRACE_MS } from './delivery.ts';

/** How long requests in flight may take once the server stops; then their connections are closed. */
const HTTP_GRACE_MS = 5_000;
/**
 * The time in which a client may send one more request on its connection, if other servers take over or new connections
 * wait for the next start. So no client finds its connection closed while it asks.
 */
const LAST_ASK_MS = 1_000;
/** The time for closing the database and ending the threads. */
const CLOSE_GRACE_MS = 10_000;

export interface RunningServer {
  /** The address of the API, without the path `/api`. */
  readonly url: string;
  /** The port for mail; null: none. */
  readonly mailPort: number | null;
  readonly mailTlsPort: number | null;
  /** The address for Prometheus; null: none. */
  readonly metricsUrl: string | null;
  /** The longest time that a stop can take. */
  readonly stopsWithinMs: number;
  /** Whether the store thread and a delivery thread answer. Never rejects; waits while they hang. */
  isAlive(): Promise<boolean>;
  /** Reads certificates and provider credentials again. Unusable ones are logged, and the old ones stay. */
  reload(): Promise<void>;
  /** Takes no more requests, sends what is due for at most `stop_timeout`, keeps the rest for the next start. */
  stop(): Promise<void>;
}

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly store: ServingStore;
  readonly delivery: Delivery;
  readonly app: App;
  readonly http: RunningHttp;
  /** Whether systemd holds the socket that it listens on. */
  readonly isHeld: boolean;
  readonly smtp: RunningSmtp | null;
  readonly renewals: Renewals;
  readonly metricsUrl: string | null;
  readonly opened: Closers;
}

/** The running server's operations, once all its parts are built. */
export function running({
  config,
  log,
  store,
  delivery,
  app,
  http,
  isHeld,
  smtp,
  renewals,
  metricsUrl,
  opened,
}: Parts): RunningServer {
  let isStopping = false;
  const lastAskMs = config.store === null && !isHeld ? 0 : LAST_ASK_MS;
  return {
    url: http.url,
    mailPort: smtp?.at?.port ?? null,
    mailTlsPort: smtp?.atTls?.port ?? null,
    metricsUrl,
    stopsWithinMs: lastAskMs + HTTP_GRACE_MS + config.delivery.stopTimeoutMs + SETTLE_GRACE_MS + CLOSE_GRACE_MS,
    async isAlive() {
      // Threads that could not be restarted count as no answer.
      const answers = await Promise.allSettled([store.isAlive(), delivery.isAlive()]);
      return answers.every((answer) => answer.status === 'fulfilled' && answer.value);
    },
    async reload() {
      if (await renewals.reload()) log.info('certificates and credentials were reloaded');
      else log.warn('some certificates or credentials could not be reloaded; see the errors above');
    },
    async stop() {
      if (isStopping) return;
      isStopping = true;
      log.info('stopping');
      renewals.stop();
      app.streams.endAll();
      await Promise.all([http.close(HTTP_GRACE_MS, lastAskMs), smtp?.close(HTTP_GRACE_MS)]);
      await delivery.stop();
      await opened.closeAll();
      log.info('stopped');
    },
  };
}
