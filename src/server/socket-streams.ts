import type { Config } from '../config/config.ts';
import { ALIVE_WITHIN_MS } from '../http/routes/service.ts';
import { within } from '../process/clock.ts';
import type { ServingStore } from '../store/serving-store.ts';
import type { SocketOptions } from '../store/transports/socket-server.ts';
import type { Feed } from './feed/feed.ts';
import type { ServerFindings } from './findings.ts';
import type { Listening, StatusReporter } from './status.ts';

interface Sources {
  /** The configuration of this start. */
  readonly configured: Config;
  readonly store: Pick<ServingStore, 'isAlive' | 'check' | 'countAlerts'>;
  readonly feed: Feed;
  readonly findings: ServerFindings;
  readonly status: StatusReporter;
  readonly listening: Listening;
}

/** Answers commands about the running server. */
export function socketStreams({
  configured,
  store,
  feed,
  findings,
  status,
  listening,
}: Sources): NonNullable<SocketOptions['streams']> {
  return {
    watch: feed.watch.bind(feed),
    async status(_, emit) {
      const alerts = await store.countAlerts({}).catch(() => null);
      emit(status.now(listening, { findings: await findings.all(), stored: await findings.stored(), alerts }));
      return () => {};
    },
    async alive(_, emit) {
      emit({ alive: await within(ALIVE_WITHIN_MS, store.isAlive(), false) });
      return () => {};
    },
    // Only for operators, who can read the database: addresses may contain passwords.
    async configuration(_, emit) {
      emit({ ...configured, handedOver: {} });
      return () => {};
    },
    async check(_, emit) {
      emit({ damage: await store.check() });
      return () => {};
    },
  };
}
