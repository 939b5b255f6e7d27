import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { type Config, type Configured, configuredRoutes } from '../config/config.ts';
import type { RelayDeps } from '../delivery/dispatch.ts';
import { LinkMemory } from '../delivery/link-memory.ts';
import { OpenClaims } from '../delivery/open-claims.ts';
import { openPool, type PoolOptions } from '../delivery/pool.ts';
import { Relay } from '../delivery/relay.ts';
import { type Clock, systemAfter } from '../process/clock.ts';
import { type ProviderProblem, readCredentials } from '../providers/credentials.ts';
import type { Installation } from '../providers/provider.ts';
import { TokenKeeper } from '../providers/signing/tokens.ts';
import { perMinuteOf } from '../providers/table.ts';
import { type ProviderName, providerOf, type Route } from '../push.ts';
import { type ServingStore, tokenShelf } from '../store/client.ts';
import type { Closers } from './closers.ts';
import type { Metrics } from './metrics.ts';

/** Time to settle pushes after `stop_timeout`; others are sent again. */
export const SETTLE_GRACE_MS = 5_000;

const THREAD_ERROR = 'an unexpected error in a delivery thread: its pushes are retried; please report it';

type OnSent = NonNullable<RelayDeps['onSent']>;
type OnSettled = NonNullable<RelayDeps['onSettled']>;

interface DeliveryOptions {
  readonly config: Configured & Pick<Config, 'delivery' | 'limits' | 'web' | 'handedOver'>;
  readonly installation: Installation;
  readonly store: ServingStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics | null;
  readonly pool: Partial<Pick<PoolOptions, 'limits' | 'deadlineMs' | 'worker'>> | undefined;
  readonly opened: Closers;
}

/** The sending half: delivery threads, and the relay to the queue. */
export interface Delivery {
  readonly links: LinkMemory;
  readonly relay: Relay;
  batchesInFlight(): number;
  /** Threads that run. */
  threads(): number;
  connections(route: Route): number;
  /** Calls `listener` with every batch's outcomes. */
  onSent(listener: OnSent): void;
  /** `listener` runs once they are settled. */
  onSettled(listener: OnSettled): void;
  isAlive(): Promise<boolean>;
  /** Reloads credentials, and keeps old ones if unusable, which is logged. Returns whether all are usable. */
  reload(): Promise<boolean>;
  stop(): Promise<void>;
}

export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  const { config, store, clock, log, metrics, opened } = options;
  const { threads, ttlMs, stopTimeoutMs } = config.delivery;
  const routes = configuredRoutes(config);
  const credentials = readCredentials(config, options.installation);
  let { settings } = credentials;
  const onError: PoolOptions['onError'] = (error) => log.error({ error }, THREAD_ERROR);
  const tokens = new TokenKeeper(clock, tokenShelf(store));
  const pool = await openPool({ ...options.pool, settings, threads, onError, tokens });
  // Unsettled pushes are sent again after the next start.
  opened.add(() => pool.close(0));

  let isStopping = false;
  const onSent: OnSent[] = [];
  const onSettled: OnSettled[] = [];
  const links = new LinkMemory(config.limits.linksMemoryBytes, ttlMs, clock);
  const openClaims = new OpenClaims(clock);
  store.onRevocations((revocations) => openClaims.revoke(revocations));
  const deps: RelayDeps = {
    store,
    openClaims,
    pool: metrics?.measured(pool, clock) ?? pool,
    links,
    clock,
    lease: store.others?.lease,
    policy: config.delivery,
    threads,
    log,
    receipts: config.web.receipts,
    random: Math.random,
    after: systemAfter,
    isStopping: () => isStopping,
    onSent: (claim, answers) => {
      for (const listener of onSent) listener(claim, answers);
    },
    onSettled: (claim, gone) => {
      for (const listener of onSettled) listener(claim, gone);
    },
  };
  const relay = new Relay(
    deps,
    routes.map((route) => ({ route, perMinute: perMinuteOf(route, config) })),
  );
  store.onTouched('queue', () => relay.nudge());
  store.others?.onLiving((count) => relay.share(count));
  setAvailability(relay, routes, credentials.problems, log);

  return {
    links,
    relay,
    batchesInFlight: () => pool.stats.inFlight,
    threads: () => pool.stats.threads,
    connections: (route) => pool.connections(route),
    isAlive: () => pool.isAlive(),
    onSent: (listener) => void onSent.push(listener),
    onSettled: (listener) => void onSettled.push(listener),
    async reload() {
      const { settings: usable, problems } = readCredentials(config, options.installation);
      const fresh = { ...settings, ...usable };
      try {
        if (!isDeepStrictEqual(fresh, settings)) {
          await pool.reload(fresh);
          log.info('the server uses renewed credentials of the providers');
        }
      } catch (error) {
        const message = 'the delivery threads could not be restarted; they keep the old credentials';
        log.error({ err: error }, message);
        return false;
      }
      const before = settings;
      settings = fresh;
      for (const { provider, message } of problems) {
        if (fresh[provider]) log.error({ provider }, `${message} The old one stays in use.`);
      }
      const off = problems.filter(({ provider }) => fresh[provider] === undefined);
      // Keeps other providers' pauses, such as a named time.
      const isAsBefore = (provider: ProviderName) => isDeepStrictEqual(fresh[provider], before[provider]);
      const changed = routes.filter((route) => !fresh[providerOf(route)] || !isAsBefore(providerOf(route)));
      setAvailability(relay, changed, off, log);
      return problems.length === 0;
    },
    async stop() {
      const stopped = relay.stop(stopTimeoutMs, SETTLE_GRACE_MS);
      isStopping = true;
      await stopped;
    },
  };
}

/** Turns off routes without usable credentials; their pushes wait. */
function setAvailability(
  relay: Relay,
  routes: readonly Route[],
  problems: readonly ProviderProblem[],
  log: Logger,
): void {
  for (const { provider, message } of problems) log.error({ provider }, message);
  for (const route of routes) {
    const problem = problems.find(({ provider }) => provider === providerOf(route));
    if (problem) relay.switchOff(route, problem.message);
    else relay.open(route);
  }
}
