import { type Config, configuredRoutes } from '../config/config.ts';
import type { StoreSettings } from './sqlite/transaction.ts';

/** What of the configuration concerns the store. */
export function storeSettings(config: Config): StoreSettings {
  const { channels, keys, members, devices } = config.limits;
  return {
    routes: configuredRoutes(config),
    ttlMs: config.delivery.ttlMs,
    longestWaitMs: config.delivery.retryMaxMs,
    eventsRetentionMs: config.retention.eventsMs,
    deliveriesRetentionMs: config.retention.deliveriesMs,
    auditRetentionMs: config.retention.auditMs,
    statsRetentionMs: config.retention.statsMs,
    limits: { channels, keys, members, devices },
    maxSizeBytes: config.retention.maxSizeBytes,
  };
}
