import { addressSettings, type Config, configuredRoutes } from '../config/config.ts';
import type { AddressSettings } from '../contract/addresses/address.ts';
import { SESSION_LIFE_MS } from '../contract/session-token.ts';
import type { Route } from '../push.ts';

const DAY_MS = 86_400_000;

export interface StoreSettings {
  /** The routes of the configured providers: only their devices are targeted. */
  readonly routes: readonly Route[];
  /** Settings that the rules for devices' addresses depend on. */
  readonly addresses: AddressSettings;
  /** How long an event is worth sending. */
  readonly ttlMs: number;
  /** Between two tries of a push, at most. */
  readonly longestWaitMs: number;
  readonly eventsRetentionMs: number;
  readonly deliveriesRetentionMs: number;
  readonly auditRetentionMs: number;
  readonly statsRetentionMs: number;
  /**
   * `lifeMs`: how long a session lives: from its last use on, or from its beginning if `isProviderOnly`. Then only what
   * the provider or an operator vouched for makes pairing codes.
   */
  readonly sessions: { readonly lifeMs: number; readonly isProviderOnly: boolean };
  /** How many of each a workspace may have; `devices` a person may register. */
  readonly limits: {
    readonly channels: number;
    readonly heartbeats: number;
    readonly keys: number;
    readonly members: number;
    readonly devices: number;
  };
  /** Beyond it the oldest events go before their time. Null: no bound. */
  readonly maxSizeBytes: number | null;
}

/** The settings of the configuration that concern the store. */
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

/** If the provider alone signs people in, it is asked daily, so a person who is removed there is soon out here. */
export function sessionLife({ oidc }: Pick<Config, 'oidc'>): StoreSettings['sessions'] {
  return oidc?.only ? { lifeMs: DAY_MS, isProviderOnly: true } : { lifeMs: SESSION_LIFE_MS, isProviderOnly: false };
}

/** How long an event is worth sending: never longer than the operator's time to live. */
export function lifeMs(expiresInS: number | null, ttlMs: number): number {
  return expiresInS === null ? ttlMs : Math.min(expiresInS * 1_000, ttlMs);
}
