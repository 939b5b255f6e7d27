import { type Config, configuredRoutes } from '../config.ts';
import { packageVersion } from '../package.ts';
import type { StoreClient } from '../store/calls.ts';
import { openStore } from '../store/open.ts';

/** The store of the configured data folder: through the server where one runs, else in this process. */
export function openStoreOf(config: Config): Promise<StoreClient> {
  return openStore({
    dataDir: config.dataDir,
    version: packageVersion(),
    settings: {
      routes: configuredRoutes(config),
      ttlMs: config.delivery.ttlMs,
      eventsRetentionMs: config.retention.eventsMs,
      deliveriesRetentionMs: config.retention.deliveriesMs,
    },
  });
}
