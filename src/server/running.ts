import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { App } from '../http/app.ts';
import type { RunningHttp } from '../http/listeners/listener.ts';
import type { RunningSmtp } from '../http/senders/smtp/listener.ts';
import { OperatorProblem } from '../process/problem.ts';
import type { ServingStore } from '../store/client.ts';
import type { Closers } from './closers.ts';
import type { Renewals } from './credential-rotation.ts';
import { type Delivery, SETTLE_GRACE_MS } from './delivery.ts';

/** The time that requests in flight may take at a stop; then their connections are closed. */
const HTTP_GRACE_MS = 5_000;
/**
 * The time in which a client may send one more request on its connection, if other servers take over or new connections
 * wait for the next start. So no client finds its connection closed while it asks.
 */
const LAST_ASK_MS = 1_000;
/** Time to close the database and end threads. */
const CLOSE_GRACE_MS = 10_000;

export interface RunningServer {
  /** The API's address without `/api`. */
  readonly url: string;
  /** The port for mail; null: none. */
  readonly mailPort: number | null;
  readonly mailTlsPort: number | null;
  /** The address for Prometheus; null: none. */
  readonly metricsUrl: string | null;
  /** The longest duration of a stop. */
  readonly stopsWithinMs: number;
  /** Resolves once the server must stop for an upgrade of the shared database. */
  readonly dismissed: Promise<OperatorProblem>;
  /** Asks the store thread and a delivery thread. Never rejects; waits while they hang. */
  isAlive(): Promise<boolean>;
  /** Reloads certificates and credentials. Logs unusable ones and keeps the old. */
  reload(): Promise<void>;
  /** Takes no more requests, sends due pushes for at most `stop_timeout`, and keeps the rest for the next start. */
  stop(): Promise<void>;
}

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly store: ServingStore;
  readonly delivery: Delivery;
  readonly app: App;
  readonly http: RunningHttp;
  /** Whether systemd holds the listening socket. */
  readonly isHeld: boolean;
  readonly smtp: RunningSmtp | null;
  readonly renewals: Renewals;
  readonly metricsUrl: string | null;
  readonly opened: Closers;
}

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
  const dismissed = Promise.withResolvers<OperatorProblem>();
  store.others?.onDismissed((oldest) => dismissed.resolve(dismissal(oldest)));
  const lastAskMs = config.store === null && !isHeld ? 0 : LAST_ASK_MS;
  return {
    url: http.url,
    mailPort: smtp?.at?.port ?? null,
    mailTlsPort: smtp?.atTls?.port ?? null,
    metricsUrl,
    stopsWithinMs: lastAskMs + HTTP_GRACE_MS + config.delivery.stopTimeoutMs + SETTLE_GRACE_MS + CLOSE_GRACE_MS,
    dismissed: dismissed.promise,
    async isAlive() {
      // Threads that did not restart cannot answer.
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

function dismissal(oldest: number): OperatorProblem {
  const what = `A newer pushctl upgrades the database to schema ${oldest}, which this version does not know, so this server stops.`;
  return new OperatorProblem(what, 75, { advice: 'Accepted events are kept. Install the newer pushctl here.' });
}
