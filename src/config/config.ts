import { type ProviderName, providerOf, ROUTES, type Route } from '../push.ts';

export const SYSTEM_CONFIG_FILE = '/etc/pushctl/pushctl.toml';

/** The socket for the installed service's group; its unit names the same path. */
export const SERVICE_READ_SOCKET = '/run/pushctl-readers/pushctl.sock';

/** The checked configuration: see schemas/config.json. Durations in ms. */
export interface Config extends Configured {
  readonly listen: { readonly host: string; readonly port: number };
  /** The service's base address, ends with `/api`; null: from `listen`. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** The group's read-only socket; null: none. */
  readonly readSocket: string | null;
  /** The shared PostgreSQL (`databaseOf`); null: SQLite in `dataDir`. */
  readonly store: {
    readonly url: string;
    readonly listenUrl: string | null;
    readonly passwordFile: string | null;
    readonly caFile: string | null;
    readonly node: string | null;
  } | null;
  readonly tls: TlsByFiles | TlsByAcme | null;
  readonly proxy: { readonly trusted: readonly string[] };
  readonly limits: {
    readonly burstPerMinute: number;
    readonly connectionPerMinute: number;
    readonly connectionsPerAddress: number;
    readonly changesPerMinute: number;
    readonly changesPerDay: number;
    /** Limits per workspace; `devices`: per person. */
    readonly channels: number;
    readonly heartbeats: number;
    readonly keys: number;
    readonly members: number;
    readonly devices: number;
    readonly urlSchemes: readonly string[];
    readonly bodiesMemoryBytes: number;
    readonly linksMemoryBytes: number;
  };
  readonly retention: {
    readonly eventsMs: number;
    readonly deliveriesMs: number;
    readonly auditMs: number;
    readonly statsMs: number;
    /** null: no bound. */
    readonly maxSizeBytes: number | null;
  };
  /** The address for Prometheus; null: none. */
  readonly metrics: { readonly listen: { readonly host: string; readonly port: number } | null };
  readonly delivery: {
    readonly threads: number;
    readonly ttlMs: number;
    readonly retryFirstMs: number;
    readonly retryBusyFirstMs: number;
    readonly retryMaxMs: number;
    readonly stopTimeoutMs: number;
  };
  readonly web: { readonly enabled: boolean; readonly receipts: boolean };
  /** The sign-in provider; null: none. */
  readonly oidc: OidcSettings | null;
  readonly senders: {
    /** Maps host names to the sender's format at their root. */
    readonly hosts: Readonly<Record<string, string>>;
    /** The listener for mail (null: none), and the remote networks that may send unencrypted. */
    readonly smtp: {
      readonly listen: { readonly host: string; readonly port: number } | null;
      /** The listener for implicit TLS. */
      readonly listenTls: { readonly host: string; readonly port: number } | null;
      readonly unencryptedFrom: readonly string[];
    };
  };
  readonly sendmail: { readonly channel: string | null; readonly keyFile: string | null };
  readonly webhooks: { readonly allowPrivate: boolean; readonly caFile: string | null };
  /** The address to ping while running; null: none. */
  readonly watchdog: { readonly url: string; readonly everyMs: number } | null;
  /** Automatic backups, `at` a time such as 03:00; null: none. */
  readonly backup: {
    readonly folder: string;
    readonly at: string | null;
    readonly everyMs: number;
    readonly keep: number;
  } | null;
  /** `requests`: a line for each request. */
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly requests: boolean };
  /** Root's copies of the files above for this process, by original name. */
  readonly handedOver: Readonly<Record<string, string>>;
  /** Settings from this process's environment. Absent: unknown. */
  readonly fromEnvironment?: readonly string[];
}

/** See schemas/config.json. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretFile: string;
  readonly scopes: readonly string[];
  readonly name: string;
  readonly only: boolean;
  readonly trustEmail: boolean;
}

/** A certificate with key, from the operator or another program. */
interface TlsByFiles {
  readonly cert: string;
  readonly key: string;
  readonly acme?: null;
}

/** An automatic certificate. */
interface TlsByAcme {
  readonly cert?: null;
  readonly key?: null;
  readonly acme: AcmeSettings;
}

export interface AcmeSettings {
  readonly domains: readonly string[];
  readonly contact: string | null;
  readonly directory: string;
  readonly caFile: string | null;
}

export interface ProviderConfigs {
  readonly apns: {
    readonly keyFile: string;
    readonly keyId: string;
    readonly teamId: string;
    readonly topic: string;
    readonly topics: readonly string[];
    readonly critical: boolean;
    readonly endpointProduction: string;
    readonly endpointSandbox: string;
    readonly caFile: string | null;
  };
  readonly fcm: {
    readonly serviceAccountFile: string;
    readonly style: 'data' | 'notification';
    readonly perMinute: number;
    readonly endpoint: string;
    readonly tokenEndpoint: string;
    readonly caFile: string | null;
  };
  readonly webpush: {
    readonly contact: string;
    readonly hosts: readonly string[];
    /** Maps origins to addresses to connect to. */
    readonly endpoints: Readonly<Record<string, string>>;
    readonly caFile: string | null;
  };
}

/** null: not configured, so not targeted. */
export type Configured = { readonly [P in ProviderName]: ProviderConfigs[P] | null };

/** Returns the configured routes, whose devices are targeted. */
export function configuredRoutes(config: Configured): readonly Route[] {
  return ROUTES.filter((route) => config[providerOf(route)] !== null);
}

export function addressSettings({ apns, webpush }: Pick<Configured, 'apns' | 'webpush'>): {
  readonly pushHosts: readonly string[];
  readonly apps: readonly string[];
} {
  return { pushHosts: webpush?.hosts ?? [], apps: apns === null ? [] : [apns.topic, ...apns.topics] };
}

/** Returns the address for clients, without a trailing slash. */
export function baseUrlOf({ baseUrl, listen, tls }: Pick<Config, 'baseUrl' | 'listen' | 'tls'>): string {
  if (baseUrl !== null) return baseUrl;
  const [domain] = tls?.acme?.domains ?? [];
  return domain === undefined ? listenUrlOf({ listen, tls }) : `https://${domain}/api`;
}

export function listenUrlOf({ listen, tls }: Pick<Config, 'listen' | 'tls'>): string {
  // The wildcard address cannot be connected to.
  const host = ['::', '0.0.0.0'].includes(listen.host) ? 'localhost' : listen.host;
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${tls === null ? 'http' : 'https'}://${shown}:${listen.port}/api`;
}
