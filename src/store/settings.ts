import { addressSettings, type Config, configuredRoutes } from '../config/config.ts';
import type { AddressSettings } from '../contract/addresses/address.ts';
import { SESSION_LIFE_MS } from '../contract/secret-token.ts';
import type { Route } from '../push.ts';

const DAY_MS = 86_400_000;

export interface StoreSettings {
  /** Routes of configured providers: only these are targeted. */
  readonly routes: readonly Route[];
  /** Settings for rules of device addresses. */
  readonly addresses: AddressSettings;
  readonly ttlMs: number;
  /** Longest wait between attempts. */
  readonly longestWaitMs: number;
  readonly eventsRetentionMs: number;
  readonly deliveriesRetentionMs: number;
  readonly auditRetentionMs: number;
  readonly statsRetentionMs: number;
  /**
   * `lifeMs`: a session's life from its last use, or its beginning if `isProviderOnly`. Then only what provider or
   * operator vouched for makes pairing codes.
   */
  readonly sessions: { readonly lifeMs: number; readonly isProviderOnly: boolean };
  /** A workspace's limits; `devices`: a person's. */
  readonly limits: {
    readonly channels: number;
    readonly heartbeats: number;
    readonly keys: number;
    readonly members: number;
    readonly devices: number;
  };
  /** Larger databases lose oldest events early. Null: unbounded. */
  readonly maxSizeBytes: number | null;
}

export function storeSettings(config: Config): StoreSettings {
  const { channels, heartbeats, keys, members, devices } = config.limits;
  return {
    routes: configuredRoutes(config),
    addresses: addressSettings(config),
    ttlMs: config.delivery.ttlMs,
    longestWaitMs: config.delivery.retryMaxMs,
    eventsRetentionMs: config.retention.eventsMs,
    deliveriesRetentionMs: config.retention.deliveriesMs,
    auditRetentionMs: config.retention.auditMs,
    statsRetentionMs: config.retention.statsMs,
    sessions: sessionLife(config),
    limits: { channels, heartbeats, keys, members, devices },
    maxSizeBytes: config.retention.maxSizeBytes,
  };
}

/** A sole provider is asked daily: people removed there are soon out here. */
export function sessionLife({ oidc }: Pick<Config, 'oidc'>): StoreSettings['sessions'] {
  return oidc?.only ? { lifeMs: DAY_MS, isProviderOnly: true } : { lifeMs: SESSION_LIFE_MS, isProviderOnly: false };
}

/** Returns how long an event is worth sending, at most the operator's limit. */
export function lifeMs(expiresInS: number | null, ttlMs: number): number {
  return expiresInS === null ? ttlMs : Math.min(expiresInS * 1_000, ttlMs);
}
