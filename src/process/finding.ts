import type { ProviderName, Route } from '../push.ts';

/** Advice on a wrong clock. */
export const SET_CLOCK =
  'synchronize the clock: timedatectl set-ntp true; if that is on already: timedatectl timesync-status';

/** Advice on a full disk. */
export const FREE_SPACE = 'free some space, or shorten [retention] in the configuration';

/**
 * A checked condition. `advice`: the remedy, unless all is well. `stops`: what it blocks in a running server. `files`:
 * unusable ones.
 */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice: string | null;
  readonly stops?: Stopped;
  readonly files?: readonly string[];
}

/** `events`: none are taken. `deliveries`: none go out, though possible. */
export type Stopped = 'events' | 'deliveries';

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

/** Makes a finding of something to do before it fails. */
export function warn(check: Check<'warn'>, message: string, advice: string): Finding {
  return { check, status: 'warn', message, advice };
}

/** Makes a finding of a failure or danger. */
export function fail(check: Check<'fail'>, message: string, advice: string): Finding {
  return { check, status: 'fail', message, advice };
}

/** Makes a finding whose severity grows by one of the rules below. */
export function graded(
  severity: Severity,
  check: Check<'warn'> & Check<'fail'>,
  message: string,
  advice: string,
): Finding {
  return { check, status: severity, message, advice };
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Shorter outages of a provider are no reason to wake a person. */
const OUTAGE_FAILS_MS = 5 * MINUTE_MS;
/** So many intervals without a backup are more than one late backup. */
export const LATE_INTERVALS = 2;
/**
 * Thresholds of remaining life. Renewal usually happens at a third; days bound long lives: nobody is late a month
 * before.
 */
const CERTIFICATE = { warns: { share: 2 / 9, mostMs: 14 * DAY_MS }, fails: { share: 1 / 9, mostMs: 10 * DAY_MS } };

/** Allows for other clocks' full seconds and slow answers. Google refuses larger offsets than `failsMs`. */
const CLOCK_OFF = { warnsMs: 5_000, failsMs: 300_000 };

interface Row {
  readonly warn?: string;
  readonly fail?: string;
}

/**
 * Conditions for warnings and failures, a row per finding; docs/operations.md has the same table. `setting`, `unit`,
 * `provider` and `route` are placeholders.
 */
export const SEVERITIES = {
  server: { fail: 'does not run, does not answer, or accepts no events' },
  systemd: {
    warn: 'the service is stopped, starting, not enabled, or was restarted after a crash',
    fail: 'the service has failed or keeps failing, or its unit cannot be read',
  },
  unit: { fail: 'systemd does not hold the socket, or the server behind it has no HTTPS' },
  configuration: { fail: 'has a mistake, or other users can change the file or read a password in it' },
  setting: {
    warn: 'other users can read the key file; or the setting conflicts with another',
    fail: 'its file or folder is missing or unusable, other users can change it, or the service has no access',
  },
  'data folder': {
    warn: 'a file in it belongs to root',
    fail: 'is not a folder, is open to other users, or holds files of another user',
  },
  database: {
    warn: 'its schema is from a newer version',
    fail: 'is damaged, gone, moved, read-only or unreachable',
  },
  'write-ahead log': { warn: 'takes more than 128 MiB' },
  disk: { warn: 'less than 1 GiB is free', fail: 'less than 100 MiB is free' },
  providers: { warn: 'none is configured' },
  provider: { fail: 'its credentials cannot be used' },
  route: {
    warn: 'an operator paused it; its provider has been failing for less than 5 min; it refuses some devices',
    fail: 'it is paused without usable credentials, or its provider has been failing for 5 min',
  },
  queue: { warn: 'its counters cannot be compacted', fail: 'an event is a dead letter' },
  deliveries: { fail: 'pushes are due, and none was sent for a minute' },
  links: { warn: 'links of queued events take 90 % of their memory' },
  backup: {
    warn: 'one failed, or has been running for an hour',
    fail: 'one failed and there is no earlier one; or the last is older than 2 × `backup.every`',
  },
  certificate: {
    warn: 'less than 2/9 of its life is left, and less than 14 days; or a renewal failed, or the first one is not issued yet',
    fail: 'less than 1/9 of its life is left, and less than 10 days; or the server has no usable certificate',
  },
  clock: {
    warn: 'is wrong by more than 5 s, or cannot be checked',
    fail: 'is wrong by more than 5 min',
  },
  retention: { warn: 'the clock is more than a day ahead of the last run, so only time at work makes data old' },
  proxy: { warn: 'a proxy in front forwards requests, and `proxy.trusted` does not name it' },
  oidc: { warn: 'nobody can sign in through the provider' },
  webhooks: { warn: 'one is disabled, or has failed for an hour' },
  devices: { warn: 'one no longer reports that it shows alerts' },
  'on call': { warn: 'a member of a rota has no device that alerts of its channel would wake' },
  reminders: { warn: 'Google would hold some of them back' },
  version: { warn: 'is older than six months' },
  nodes: {
    warn: 'no server is running, a server is silent, two share a name, or versions, settings or clocks differ',
    fail: 'this server cannot renew its lease',
  },
  notices: { warn: 'do not arrive', fail: 'the address for them cannot be reached' },
  'way to the database': { warn: 'is not encrypted, or the certificate is not verified' },
  'database clock': { warn: 'differs by more than 1 s' },
  'database connections': { warn: 'fewer than 12 are left' },
  'database rights': { fail: 'the tables belong to another user' },
  'database transactions': { warn: 'one has been open for 5 min' },
  'replication slots': { warn: 'more than 1 GiB of log is kept for a standby that is not connected' },
  durability: { warn: '`full_page_writes` is off', fail: '`fsync` or `synchronous_commit` is off' },
  failover: {
    warn: 'there is no standby, or none is synchronous',
    fail: 'commits do not wait for a standby, or the standby that they wait for is not connected',
  },
} as const satisfies Readonly<Record<string, Row>>;

type Severities = typeof SEVERITIES;
export type Severity = 'warn' | 'fail';

/** Settings and units contain a dot, except these. */
export type Setting = `${string}.${string}` | 'listen' | 'data_dir' | 'base_url';

interface Kinds {
  readonly setting: Setting;
  readonly unit: Setting;
  readonly provider: ProviderName;
  readonly route: Route;
}

type NameOf<Key> = Key extends keyof Kinds ? Kinds[Key] : Key;

/** Names of findings that may have that severity. */
type Check<S extends Severity> = {
  [Key in keyof Severities]: Severities[Key] extends Readonly<Record<S, string>> ? NameOf<Key> : never;
}[keyof Severities];

/** Grows with the outage's length. */
export function outageSeverity(sinceMs: number, nowMs: number): Severity {
  return nowMs - sinceMs >= OUTAGE_FAILS_MS ? 'fail' : 'warn';
}

/** Grows with the last backup's age; `lastMs` null: none. */
export function backupSeverity(lastMs: number | null, everyMs: number, nowMs: number): Severity {
  return lastMs === null || nowMs - lastMs > LATE_INTERVALS * everyMs ? 'fail' : 'warn';
}

/** Grows with the clocks' difference; null: they agree. */
export function clockSeverity(aheadMs: number): Severity | null {
  const offMs = Math.abs(aheadMs);
  if (offMs > CLOCK_OFF.failsMs) return 'fail';
  return offMs > CLOCK_OFF.warnsMs ? 'warn' : null;
}

/** Returns the severity of a certificate's end; null: far. `lifeMs`: the whole life, if known. */
export function certificateSeverity(
  endsAtMs: number,
  nowMs: number,
  lifeMs = Number.POSITIVE_INFINITY,
): Severity | null {
  const isBelow = ({ share, mostMs }: (typeof CERTIFICATE)['warns']) =>
    endsAtMs - nowMs < Math.min(share * lifeMs, mostMs);
  if (isBelow(CERTIFICATE.fails)) return 'fail';
  return isBelow(CERTIFICATE.warns) ? 'warn' : null;
}

export interface CertificateEnd {
  readonly state: 'good' | 'soon' | 'late' | 'ended';
  /** Whole days left; 0: expired. */
  readonly days: number;
}

/** Returns a certificate's state by expiry. `lifeMs`: its validity, if known. */
export function certificateEnd(endsAtMs: number, nowMs: number, lifeMs?: number): CertificateEnd {
  const days = Math.max(0, Math.floor((endsAtMs - nowMs) / DAY_MS));
  if (endsAtMs <= nowMs) return { state: 'ended', days };
  const severity = certificateSeverity(endsAtMs, nowMs, lifeMs);
  if (severity === null) return { state: 'good', days };
  return { state: severity === 'fail' ? 'late' : 'soon', days };
}
