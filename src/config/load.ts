import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperatorProblem } from '../problem.ts';
import { findMistakes } from './check.ts';
import type { Config } from './config.ts';
import { listSettings, readSchema, type Setting } from './settings.ts';
import { type Environment, type Gathered, gather, isTable, type Table } from './sources.ts';
import { parseDurationMs, parseListen, parseSizeBytes } from './units.ts';

export interface LoadOptions {
  readonly env: Environment;
  /** `--config`; null: no file at all. */
  readonly file?: string | null | undefined;
  /** `--data-dir`, which wins over everything. */
  readonly dataDir?: string | undefined;
  /** Whose process this is; decides where the data lives by default. */
  readonly uid?: number | undefined;
}

/**
 * File + environment → one frozen Config, and the file that was read.
 * Throws one OperatorProblem (exit 2) that names every mistake at once.
 */
export function loadConfig(options: LoadOptions): Config {
  return loadConfigFrom(options).config;
}

/** As `loadConfig`, with the file that was read (null: none). */
export function loadConfigFrom(options: LoadOptions): { config: Config; file: string | null } {
  const { gathered, table } = readSettings(options);
  return { config: freeze({ ...build(table), handedOver: gathered.handedOver }), file: gathered.file };
}

/** Every setting there is, what the file and the environment say, and `table` with the defaults filled in. Throws as `loadConfig` does. */
export function readSettings({ env, file, dataDir, uid }: LoadOptions): {
  settings: readonly Setting[];
  gathered: Gathered;
  table: Table;
} {
  const schema = readSchema();
  const settings = listSettings(schema);
  const gathered = gather(settings, env, file);
  const mistakes = [...findMistakes(schema, settings, gathered), ...gathered.mistakes];
  if (mistakes.length > 0)
    throw new OperatorProblem(summary(gathered.file, mistakes), 2, { code: 'wrong_configuration' });
  const table = withDefaults(gathered.values, settings);
  table.data_dir = resolve(dataDir ?? String(table.data_dir ?? defaultDataDir(env, uid)));
  return { settings, gathered, table };
}

function summary(file: string | null, mistakes: readonly string[]): string {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`;
  const where = file === null ? '' : ` ${file}`;
  return [`the configuration${where} has ${count}; nothing was started`, ...mistakes].join('\n  ');
}

/** Defaults go into tables that may be left out, but never make `apns`, `fcm` or `tls` appear. */
function withDefaults(values: Table, settings: readonly Setting[]): Table {
  const complete = structuredClone(values);
  for (const setting of settings) {
    if (setting.default === undefined) continue;
    const [table, name] = setting.path.split('.') as [string, string?];
    if (name === undefined) complete[table] ??= setting.default;
    else if (isTable(complete[table])) complete[table][name] ??= setting.default;
    else if (!OPTIONAL_TABLES.includes(table)) complete[table] = { [name]: setting.default };
  }
  return complete;
}

const OPTIONAL_TABLES = ['tls', 'apns', 'fcm'];

/** Where the data lies when nobody says where. `$STATE_DIRECTORY` is systemd's; it may list several, ours is the first. */
export function defaultDataDir(env: Environment, uid: number | undefined): string {
  const [stateDirectory] = (env.STATE_DIRECTORY ?? '').split(':');
  if (stateDirectory) return stateDirectory;
  if (uid === 0) return '/var/lib/pushctl';
  return join(userDataDir(env), 'pushctl');
}

/** Where programs of this user keep their data (XDG base directories). */
export function userDataDir(env: Environment): string {
  return env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
}

/** The shape that schemas/config.json guarantees, defaults filled in. */
interface Checked {
  readonly listen: string;
  readonly base_url?: string;
  readonly data_dir: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly proxy: { readonly trusted: readonly string[] };
  readonly limits: {
    readonly url_schemes: readonly string[];
    readonly links_memory: string;
  } & Readonly<Record<LimitSetting, number>>;
  readonly retention: Readonly<Record<'events' | 'deliveries' | 'audit' | 'stats', string>> & {
    readonly max_size?: string;
  };
  readonly metrics?: { readonly listen?: string };
  readonly delivery: Readonly<
    Record<'ttl' | 'retry_first' | 'retry_busy_first' | 'retry_max' | 'stop_timeout', string>
  > & {
    readonly threads: number;
  };
  readonly apns?: Readonly<Record<ApnsSetting, string>> & { readonly ca_file?: string };
  readonly fcm?: Readonly<Record<'service_account_file' | 'endpoint' | 'token_endpoint', string>> & {
    readonly style: 'data' | 'notification';
    readonly per_minute: number;
    readonly ca_file?: string;
  };
  readonly log: Config['log'];
}
type LimitSetting =
  | 'burst_per_minute'
  | 'connection_per_minute'
  | 'connections_per_address'
  | 'changes_per_minute'
  | 'changes_per_day'
  | 'channels'
  | 'keys'
  | 'members'
  | 'devices';
type ApnsSetting = 'key_file' | 'key_id' | 'team_id' | 'topic' | 'endpoint_production' | 'endpoint_sandbox';

function build(table: Table): Omit<Config, 'handedOver'> {
  const { listen, base_url, data_dir, tls, proxy, limits, retention, metrics, log, ...rest } =
    table as unknown as Checked;
  return {
    listen: parseListen(listen) ?? { host: '127.0.0.1', port: 8080 },
    baseUrl: base_url ?? null,
    dataDir: data_dir,
    tls: tls ?? null,
    proxy,
    limits: {
      burstPerMinute: limits.burst_per_minute,
      connectionPerMinute: limits.connection_per_minute,
      connectionsPerAddress: limits.connections_per_address,
      changesPerMinute: limits.changes_per_minute,
      changesPerDay: limits.changes_per_day,
      channels: limits.channels,
      keys: limits.keys,
      members: limits.members,
      devices: limits.devices,
      urlSchemes: limits.url_schemes,
      linksMemoryBytes: parseSizeBytes(limits.links_memory) ?? 0,
    },
    retention: retentionSettings(retention),
    metrics: parseListen(metrics?.listen ?? ''),
    delivery: deliverySettings(rest.delivery),
    apns: apnsSettings(rest.apns),
    fcm: fcmSettings(rest.fcm),
    log,
  };
}

function retentionSettings({ events, deliveries, audit, stats, max_size }: Checked['retention']): Config['retention'] {
  const eventsMs = ms(events);
  return {
    eventsMs,
    deliveriesMs: Math.min(ms(deliveries), eventsMs),
    auditMs: ms(audit),
    statsMs: ms(stats),
    maxSizeBytes: parseSizeBytes(max_size ?? ''),
  };
}

function deliverySettings(delivery: Checked['delivery']): Config['delivery'] {
  return {
    threads: delivery.threads,
    ttlMs: ms(delivery.ttl),
    retryFirstMs: ms(delivery.retry_first),
    retryBusyFirstMs: ms(delivery.retry_busy_first),
    retryMaxMs: ms(delivery.retry_max),
    stopTimeoutMs: ms(delivery.stop_timeout),
  };
}

function apnsSettings(apns: Checked['apns']): Config['apns'] {
  if (apns === undefined) return null;
  return {
    keyFile: apns.key_file,
    keyId: apns.key_id,
    teamId: apns.team_id,
    topic: apns.topic,
    endpointProduction: apns.endpoint_production,
    endpointSandbox: apns.endpoint_sandbox,
    caFile: apns.ca_file ?? null,
  };
}

function fcmSettings(fcm: Checked['fcm']): Config['fcm'] {
  if (fcm === undefined) return null;
  return {
    serviceAccountFile: fcm.service_account_file,
    style: fcm.style,
    perMinute: fcm.per_minute,
    endpoint: fcm.endpoint,
    tokenEndpoint: fcm.token_endpoint,
    caFile: fcm.ca_file ?? null,
  };
}

function ms(duration: string): number {
  return parseDurationMs(duration) ?? 0;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
