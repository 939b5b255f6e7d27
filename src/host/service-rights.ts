/**
 * What the service on this machine may not do, though root may: `init` asks before it writes a configuration for it,
 * and `config check`, `doctor`, `status` and `install` ask of the one that is there.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SYSTEM_CONFIG_FILE } from '../config/config.ts';
import { notRootsAlone } from './hand-over.ts';
import { dataDirDropIn, HIDDEN_FOLDERS } from './install.ts';
import { serviceDataDir } from './installed-data.ts';

const DEADLINE_MS = 5_000;
const NOBODY = 65_534;

/**
 * The unit's user may bind no low port; with a user namespace of its own the capability would not count
 * (user_namespaces(7)).
 */
const DROP_IN = [
  '[Service]',
  'AmbientCapabilities=CAP_NET_BIND_SERVICE',
  'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
  'PrivateUsers=no',
];

/** `message`: what is missing. `advice`: what to do about it, in one or more lines. */
export interface MissingRight {
  readonly message: string;
  readonly advice: string;
}

/** Null: it may listen on that port, as far as rights go, or nothing here runs a service. */
export function whyServiceCannotListen(port: number): MissingRight | null {
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  if (port === 0 || port >= first || !existsSync('/run/systemd/system') || hasDropIn()) return null;
  const right = 'give it the right first, by `sudo systemctl edit pushctl` with these lines:';
  return {
    message: `the service may not listen on port ${port}`,
    advice: [`choose one from ${first} on, or ${right}`, ...DROP_IN.map((line) => `    ${line}`)].join('\n'),
  };
}

function hasDropIn(): boolean {
  const said = output('/usr/bin/systemctl', ['show', 'pushctl.service', '--property=AmbientCapabilities,PrivateUsers']);
  return said !== null && /^AmbientCapabilities=.*cap_net_bind_service/m.test(said) && /^PrivateUsers=no$/m.test(said);
}

/**
 * Null: it may read that file, or root hands it a copy, or it is not root who asks, and nobody else can tell. Root asks
 * as the service's user, or as nobody where there is no such user yet.
 */
export function whyServiceCannotRead(file: string): MissingRight | null {
  const path = resolve(file);
  const foreign = notRootsAlone(path);
  if (foreign === null || process.geteuid?.() !== 0) return null;
  const place = `copy the file to ${dirname(SYSTEM_CONFIG_FILE)}`;
  const advice = `let nobody but root change ${foreign}, as root hands over nothing else; or ${place}`;
  const hidden = HIDDEN_FOLDERS.find((one) => path.startsWith(`${one}/`));
  if (hidden !== undefined) return { message: `the service sees nothing of ${hidden}, where ${path} is`, advice };
  const isThere = /^pushctl:/m.test(readFileSync('/etc/passwd', 'utf8'));
  const who = isThere
    ? ['--reuid=pushctl', '--regid=pushctl', '--init-groups']
    : [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const mayRead = output('/usr/bin/setpriv', [...who, '/usr/bin/test', '-r', path]) !== null;
  return mayRead ? null : { message: `the service may not read ${path}`, advice };
}

/**
 * Null: the service may write to its data folder, or nothing here runs one. The unit lets it write to the folder that it
 * names alone (`ProtectSystem=strict`), and what root has moved is root's.
 */
export function whyServiceCannotWrite(folder: string): MissingRight | null {
  const path = resolve(folder);
  const own = serviceDataDir();
  if (own === null || !existsSync('/run/systemd/system')) return null;
  const hidden = HIDDEN_FOLDERS.find((one) => path.startsWith(`${one}/`));
  if (hidden !== undefined) {
    const message = `the service sees nothing of ${hidden}, where ${path} is`;
    return { message, advice: 'move the folder, to /srv say, and name it in data_dir' };
  }
  if (!isWithin(path, own) && !writablePaths().some((one) => isWithin(path, one))) {
    const right = 'let it, by `sudo systemctl edit pushctl` with these lines (`pushctl install` writes them itself):';
    const lines = dataDirDropIn(path).trimEnd().split('\n');
    return {
      message: `the service may not write to ${path}: its unit lets it write to ${own} alone`,
      advice: [right, ...lines.map((line) => `    ${line}`)].join('\n'),
    };
  }
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const [, uid] = /^pushctl:[^:]*:(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (owner === undefined || uid === undefined || owner === Number(uid)) return null;
  const message = `${path} belongs to user ${owner}, and the service runs as pushctl (${uid})`;
  return { message, advice: `sudo chown -hR pushctl: ${path}` };
}

function writablePaths(): readonly string[] {
  const said = output('/usr/bin/systemctl', ['show', '--value', '--property=ReadWritePaths', 'pushctl.service']);
  return (said ?? '')
    .trim()
    .split(' ')
    .map((path) => path.replace(/^[-+]+/, ''))
    .filter((path) => path !== '');
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder.replace(/\/$/, '')}/`);
}

/** Null: the command failed. */
function output(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: DEADLINE_MS,
      encoding: 'utf8',
    });
  } catch {
    return null;
  }
}
