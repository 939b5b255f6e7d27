import { hostname } from 'node:os';
import { OperatorProblem } from '../process/problem.ts';
import type { Config } from './config.ts';
import { readablePath, readNamedFile, whyUnreadable } from './named-file.ts';
import { isLoopback } from './units.ts';

/** The parameter that names the password file, which may change any time. */
const PASSWORD_FILE = 'password_file';

/** The way to a shared PostgreSQL, and this machine's name there. */
export interface Database {
  /** Has the password: for the driver only. */
  readonly url: string;
  /** The same database, at an address that passes notices. */
  readonly listenUrl: string;
  /** This machine's name among the others. */
  readonly node: string;
}

interface ConnectionFiles {
  readonly hasCa: boolean;
  readonly hasPasswordFile: boolean;
}

const SCHEMES: readonly string[] = ['postgres:', 'postgresql:'];
/** With PostgreSQL's meanings: https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION */
const SSL_MODES: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const PARAMETERS: readonly string[] = ['host', 'sslmode', 'options'];

/**
 * Returns the database, with its file's password; null: SQLite in the data folder. Throws `OperatorProblem` for
 * unreadable files.
 */
export function databaseOf(config: Pick<Config, 'store' | 'handedOver'>): Database | null {
  const { store } = config;
  if (store === null) return null;
  const { passwordFile, caFile, node } = store;
  const password = passwordFile && readOrRefuse(config, 'store.password_file', passwordFile).trim();
  if (password === '') {
    throw new OperatorProblem(`${passwordFile}, named by store.password_file, is empty.`, 1, {
      advice: 'Write the password into the file.',
    });
  }
  if (caFile !== null && !readOrRefuse(config, 'store.ca_file', caFile).includes('-----BEGIN CERTIFICATE-----')) {
    throw new OperatorProblem(`${caFile}, named by store.ca_file, has no certificate in it.`, 1, {
      advice: 'Set it to a PEM file.',
    });
  }
  const complete = (address: string) => {
    const url = new URL(address);
    // Otherwise the driver treats `require` more strictly than libpq, and warns at each start.
    if (isEncrypted(url)) url.searchParams.set('uselibpqcompat', 'true');
    if (isEncrypted(url) && caFile !== null) url.searchParams.set('sslrootcert', readablePath(config, caFile));
    if (password !== null) url.searchParams.set('password', password);
    if (passwordFile !== null) url.searchParams.set(PASSWORD_FILE, readablePath(config, passwordFile));
    return url.href;
  };
  const url = complete(store.url);
  return { url, listenUrl: store.listenUrl === null ? url : complete(store.listenUrl), node: node ?? hostname() };
}

function readOrRefuse(config: Pick<Config, 'handedOver'>, setting: string, file: string): string {
  try {
    return readNamedFile(readablePath(config, file)).toString('utf8');
  } catch (error) {
    throw new OperatorProblem(`${file}, named by ${setting}, ${whyUnreadable(error)}.`, 1, {
      advice: `Put the file there, or change ${setting}.`,
    });
  }
}

export function isDatabaseUrl(text: string): boolean {
  return URL.canParse(text) && SCHEMES.includes(new URL(text).protocol);
}

/** Returns what an incomplete or unsafe address should be; null: fine. */
export function databaseMistake(text: string, { hasCa, hasPasswordFile }: ConnectionFiles): string | null {
  const url = new URL(text);
  const { pathname, searchParams } = url;
  const hosts = hostsOf(url);
  const sslmode = searchParams.get('sslmode');
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (hosts.length > 1) return 'one host: a name that follows the primary, or the balancer in front';
  if (hosts.length === 0) return 'a host; for a Unix socket, localhost with ?host=/run/postgresql at the end';
  if (url.username === '') return 'a user of the database before the host, as in postgres://pushctl@db.example.com';
  if (!/^\/[^/]+$/.test(pathname)) return 'the name of a database after the host, such as /pushctl';
  if (unknown === 'sslrootcert') return 'the CA in store.ca_file instead of sslrootcert';
  if (unknown !== undefined) return `no ${unknown} but ${PARAMETERS.join(', ')} after the question mark`;
  if (sslmode !== null && !SSL_MODES.includes(sslmode)) return `sslmode to be one of ${SSL_MODES.join(', ')}`;
  if (sslmode === 'verify-ca' && !hasCa) return 'the CA in store.ca_file with sslmode=verify-ca';
  if (sslmode === null && !hosts.every(isNear)) {
    return 'sslmode=verify-full in it, because it is reached over the network, or sslmode=disable if that is safe';
  }
  if (hasPasswordFile && url.password !== '') {
    return 'no password in it, because store.password_file has one';
  }
  return null;
}

/** Hides the password, even one that makes the address invalid. */
export function withoutPassword(text: string): string {
  return text
    .replace(/(password=)[^&\s"]*/gi, '$1***')
    .replace(/(:\/\/[^:@/?#[]*):(?:.*(?=@)|(?!\d*(?:[/?#"]|$)).*)/, '$1:***');
}

/** Returns the hosts; a Unix socket's is its folder. */
function hostsOf({ hostname: host, searchParams }: URL): readonly string[] {
  const named = searchParams.get('host') ?? decodeURIComponent(host);
  return named.split(',').filter((name) => name !== '');
}

function isNear(host: string): boolean {
  return host.startsWith('/') || isLoopback(host.replace(/^\[(.+)\]$/, '$1'));
}

function isEncrypted({ searchParams }: URL): boolean {
  const sslmode = searchParams.get('sslmode');
  return sslmode !== null && sslmode !== 'disable';
}
