import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { nearest } from '../values/nearest.ts';
import { databaseMistake, isDatabaseUrl, withoutPassword } from './database.ts';
import type { Setting, SettingSchema } from './settings.ts';
import { type Gathered, isTable, lookUp, type Table } from './sources.ts';
import { isAddressOrNetwork, isLoopback, parseDurationMs, parseListen, parseSizeBytes } from './units.ts';

const LONGEST_SHOWN = 80;
const DAY_MS = 86_400_000;

export function findMistakes(schema: SettingSchema, settings: readonly Setting[], gathered: Gathered): string[] {
  // A test compares our schema with its meta-schema.
  const ajv = new Ajv2020({ allErrors: true, verbose: true, meta: false, validateSchema: false });
  ajv.addFormat('span', (text) => parseDurationMs(text) !== null);
  ajv.addFormat('listen', (text) => parseListen(text) !== null);
  ajv.addFormat('address', isAddressOrNetwork);
  ajv.addFormat('contact', isPublicContact);
  ajv.addFormat('domain', isPublicDomain);
  ajv.addFormat('hostname', isDomain);
  ajv.addFormat('database', isDatabaseUrl);
  ajv.addFormat('url', (text) => URL.canParse(text));
  const check = ajv.compile(onlyGiven(schema, gathered.values));
  check(gathered.values);
  const mistakes = new Map<string, string>();
  for (const error of check.errors ?? []) {
    const [path, sentence] = describe(error, settings, gathered.fromEnvironment);
    if (!mistakes.has(path)) mistakes.set(path, sentence);
  }
  return [...mistakes.values(), ...findContradictions(gathered.values, settings)];
}

/** Returns the schema of present settings only: compiling all would delay commands by 50 ms. */
function onlyGiven(schema: SettingSchema, values: Table): SettingSchema {
  const given = Object.entries(schema.properties ?? {}).flatMap(([name, setting]) => {
    const value = values[name];
    return value === undefined ? [] : [[name, isTable(value) ? onlyGiven(setting, value) : setting] as const];
  });
  return schema.properties === undefined ? schema : { ...schema, properties: Object.fromEntries(given) };
}

function describe(
  error: ErrorObject,
  settings: readonly Setting[],
  fromEnvironment: ReadonlyMap<string, string>,
): [string, string] {
  const at = dotted(error.instancePath);
  switch (error.keyword) {
    case 'additionalProperties': {
      const path = join(at, String(error.params.additionalProperty));
      return [path, `${path}: no such setting${suggestion(path, settings)}`];
    }
    case 'required': {
      const path = join(at, String(error.params.missingProperty));
      return [path, missing(path, settings)];
    }
    default: {
      const origin = fromEnvironment.get(at.replace(/\[.*/, ''));
      const where = origin === undefined ? at : `${at} (from ${origin})`;
      return [at, `${where} is ${show(error.data)}: expected ${(error.parentSchema as SettingSchema).title}`];
    }
  }
}

function missing(path: string, settings: readonly Setting[]): string {
  const setting = settings.find((candidate) => candidate.path === path);
  return `${path} is missing: expected ${setting?.expected}, for example ${show(setting?.examples[0])}`;
}

function suggestion(path: string, settings: readonly Setting[]): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const paths = settings.map((setting) => setting.path);
  if (paths.includes(name)) return `; ${name} is set above the first [table]`;
  const tables = paths.filter((known) => known.includes('.')).map((known) => known.slice(0, known.indexOf('.')));
  const meant = paths.find((known) => known.endsWith(`.${name}`)) ?? nearest(path, [...paths, ...tables]);
  return meant === null ? '' : `; did you mean ${meant}?`;
}

/** Converts `/limits/url_schemes/0` to `limits.url_schemes[0]`. */
function dotted(pointer: string): string {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : join(path, name)), '');
}

function join(table: string, name: string): string {
  return table === '' ? name : `${table}.${name}`;
}

/** Formats a value on one short line, without the contents of a key. */
function show(value: unknown): string {
  const text = withoutPassword(JSON.stringify(value) ?? 'nothing');
  if (/PRIVATE KEY|pctl_|pses_|pdev_|gtfya\.|tk_[0-9a-z]{13}/.test(text)) return 'a secret (not shown)';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)` : text;
}

function findContradictions(values: Table, settings: readonly Setting[]): string[] {
  const mistakes = findTlsMistakes(values, settings);
  const listen = textAt(values, 'listen');
  const isEncrypted = values.tls !== undefined || hasTrustedProxy(values);
  if (isReachable(listen) && !isEncrypted) {
    mistakes.push(
      `listen is ${show(listen)}, open to the network without encryption: expected a loopback address, ` +
        'a [tls] table, or the proxy in front in proxy.trusted',
    );
  }
  mistakes.push(...findSharedPorts(values));
  const metrics = textAt(values, 'metrics.listen');
  if (isReachable(metrics)) {
    mistakes.push(`metrics.listen is ${show(metrics)}: expected a loopback address such as 127.0.0.1:9464`);
  }
  const smtp = textAt(values, 'senders.smtp.listen');
  const plain = lookUp(values, 'senders.smtp.unencrypted_from');
  if (isReachable(smtp) && values.tls === undefined && !(Array.isArray(plain) && plain.length > 0)) {
    mistakes.push(
      `senders.smtp.listen is ${show(smtp)}, open to the network without encryption: expected a loopback address, ` +
        'a [tls] table, or the networks of senders without encryption in senders.smtp.unencrypted_from',
    );
  }
  const smtps = textAt(values, 'senders.smtp.listen_tls');
  if (smtps !== '' && values.tls === undefined) {
    mistakes.push(
      `senders.smtp.listen_tls is ${show(smtps)} without a [tls] table: expected a [tls] table with the certificate`,
    );
  }
  mistakes.push(...findDatabaseMistakes(values), ...findBackupMistakes(values), ...findOidcMistakes(values));
  for (const { path, least, most } of RANGES) {
    const text = textAt(values, path);
    const value = amountOf(text);
    if (value === null) continue;
    const isWithin = value >= (amountOf(least) ?? 0) && value <= (amountOf(most) ?? 0);
    if (!isWithin) mistakes.push(`${path} is ${show(text)}: expected ${least} to ${most}`);
  }
  return mistakes;
}

/** Checks that a certificate has one source, and that only one machine uses ACME. */
function findTlsMistakes(values: Table, settings: readonly Setting[]): string[] {
  if (!isTable(values.tls)) return [];
  const paths = ['tls.cert', 'tls.key'];
  const isByAcme = values.tls.acme !== undefined;
  if (!isByAcme) {
    return paths.filter((path) => lookUp(values, path) === undefined).map((path) => missing(path, settings));
  }
  const mistakes = paths
    .filter((path) => lookUp(values, path) !== undefined)
    .map(
      (path) =>
        `${path} is ${show(lookUp(values, path))}: expected none with [tls.acme], which gets its own certificate`,
    );
  if (values.store === undefined) return mistakes;
  const reason = 'because an authority may reach any of several machines. Let their balancer do TLS';
  return [...mistakes, `tls.acme is set: expected none with [store] url, ${reason}`];
}

const LISTENERS = ['listen', 'metrics.listen', 'senders.smtp.listen', 'senders.smtp.listen_tls'] as const;

/** Checks that no two listeners have the same port of the same address. */
function findSharedPorts(values: Table): string[] {
  const places = LISTENERS.flatMap((path) => {
    const place = parseListen(textAt(values, path));
    return place === null || place.port === 0 ? [] : [{ path, ...place }];
  });
  return places.flatMap((place, index) => {
    const before = places.slice(0, index).find((other) => other.port === place.port && canMeet(other.host, place.host));
    if (before === undefined) return [];
    return [`${place.path} is ${show(textAt(values, place.path))}: expected another port than ${before.path} has`];
  });
}

function canMeet(host: string, other: string): boolean {
  return host === other || [host, other].some((name) => name === '::' || name === '0.0.0.0');
}

function findDatabaseMistakes(values: Table): string[] {
  const caFile = textAt(values, 'store.ca_file');
  const hasPasswordFile = textAt(values, 'store.password_file') !== '';
  const mistakes = ['store.url', 'store.listen_url'].flatMap((path) => {
    const url = textAt(values, path);
    const expected = isDatabaseUrl(url) ? databaseMistake(url, { hasCa: caFile !== '', hasPasswordFile }) : null;
    return expected === null ? [] : [`${path} is ${show(url)}: expected ${expected}`];
  });
  const maxSize = textAt(values, 'retention.max_size');
  if (values.store !== undefined && maxSize !== '') {
    mistakes.push(
      `retention.max_size is ${show(maxSize)}: expected none with [store] url, because the size of that database is for ` +
        'PostgreSQL to bound',
    );
  }
  return mistakes;
}

function findBackupMistakes(values: Table): string[] {
  const mistakes: string[] = [];
  const folder = textAt(values, 'backup.folder');
  if (values.store !== undefined && folder !== '') {
    mistakes.push(
      `backup.folder is ${show(folder)}: expected none with [store] url, because backups of PostgreSQL are made by its own ` +
        'programs',
    );
  }
  const every = textAt(values, 'backup.every');
  const isOfDays = (parseDurationMs(every) ?? 0) % DAY_MS === 0;
  if (textAt(values, 'backup.at') !== '' && !isOfDays)
    mistakes.push(`backup.every is ${show(every)}: expected whole days with backup.at, such as 24h or 7d`);
  return mistakes;
}

/** Requires the web app, the provider's way back. */
function findOidcMistakes(values: Table): string[] {
  const issuer = textAt(values, 'oidc.issuer');
  if (issuer === '' || lookUp(values, 'web.enabled') !== false) return [];
  return [`oidc.issuer is ${show(issuer)}: expected none with web.enabled = false, because it signs in to the web app`];
}

function amountOf(text: string): number | null {
  return parseDurationMs(text) ?? parseSizeBytes(text);
}

/** Returns the text at a path, or empty. */
function textAt(values: Table, path: string): string {
  const value = lookUp(values, path);
  return typeof value === 'string' ? value : '';
}

function isReachable(listen: string): boolean {
  const place = parseListen(listen);
  return place !== null && !isLoopback(place.host);
}

function hasTrustedProxy(values: Table): boolean {
  const trusted = lookUp(values, 'proxy.trusted');
  return Array.isArray(trusted) && trusted.length > 0;
}

/** FCM keeps messages up to 28 days; timers overflow above 24. */
const RANGES = [
  { path: 'limits.bodies_memory', least: '24MiB', most: '16GiB' },
  { path: 'retention.events', least: '24h', most: '3650d' },
  { path: 'retention.deliveries', least: '1h', most: '3650d' },
  { path: 'retention.audit', least: '24h', most: '3650d' },
  { path: 'retention.stats', least: '24h', most: '3650d' },
  { path: 'delivery.ttl', least: '1s', most: '28d' },
  { path: 'delivery.retry_first', least: '1ms', most: '24h' },
  { path: 'delivery.retry_busy_first', least: '1ms', most: '24h' },
  { path: 'delivery.retry_max', least: '1ms', most: '24h' },
  { path: 'delivery.stop_timeout', least: '0ms', most: '24h' },
  { path: 'watchdog.every', least: '10s', most: '24h' },
  { path: 'backup.every', least: '1h', most: '90d' },
] as const;

/** Private top-level names: RFC 2606, 6761, 6762, 8375, and those of routers and companies. */
const PRIVATE = ['local', 'localhost', 'internal', 'lan', 'home.arpa', 'test', 'example', 'invalid'];
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Returns whether push services accept the contact (`sub`, RFC 8292 section 2.1): `mailto:` or https. Apple answers
 * BadJwtToken for hosts that cannot be public, such as `mailto:admin@localhost`:
 * https://github.com/web-push-libs/web-push/issues/947
 */
function isPublicContact(text: string): boolean {
  const host = hostIn(text);
  return host !== null && isPublicDomain(host);
}

/** Returns whether a lower-case, dotted host name (no IP address) can be public. */
function isPublicDomain(host: string): boolean {
  return isDomain(host) && !PRIVATE.some((name) => host.endsWith(`.${name}`));
}

/** Accepts private names as well. */
function isDomain(host: string): boolean {
  return host.length <= 253 && DOMAIN.test(host);
}

function hostIn(text: string): string | null {
  const mail = /^mailto:[\x21-\x3f\x41-\x7e]{1,64}@([^@?\s]+)$/i.exec(text);
  if (mail !== null) return (mail[1] ?? '').toLowerCase();
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { hostname, username, password } = new URL(text);
  return username === '' && password === '' ? hostname : null;
}
