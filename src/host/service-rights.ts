/**
 * Finds rights that root has and the service lacks. `init` asks before it writes a configuration; `config check`,
 * `doctor`, `status` and `install` ask later.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SYSTEM_CONFIG_FILE } from '../config/config.ts';
import { notRootsAlone } from './credential-copy.ts';
import { dataDirDropIn } from './install.ts';
import { serviceDataDir } from './installed.ts';
import { HERE } from './machine.ts';
import { heldPorts, type Ports } from './ports.ts';
import { hiddenBy, isWritableIn, output, unitSandbox } from './unit-sandbox.ts';

const NOBODY = 65_534;

/** The unit's user cannot bind low ports: capabilities do not count in user namespaces (user_namespaces(7)). */
const DROP_IN = [
  '[Service]',
  'AmbientCapabilities=CAP_NET_BIND_SERVICE',
  'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
  'PrivateUsers=no',
];

/** `message`: what is missing. `advice`: what to do, in lines. */
export interface MissingRight {
  readonly message: string;
  readonly advice: string;
}

/**
 * Returns null if the service may listen there, systemd holds the port, or there is no service. `held`: ports systemd
 * will hold.
 */
export function whyServiceCannotListen(port: number, held: Ports = {}): MissingRight | null {
  const isHeld = held.https !== undefined || heldPorts(HERE).includes('https');
  return isHeld ? null : missingRightTo(port, `let systemd hold the port: sudo pushctl install --port ${port}`);
}

/** Checks the mail port, which systemd does not hold. */
export function whyServiceCannotTakeMail(port: number): MissingRight | null {
  const right = 'allow it: run `sudo systemctl edit pushctl` and add these lines:';
  return missingRightTo(port, [right, ...DROP_IN.map((line) => `    ${line}`)].join('\n'));
}

function missingRightTo(port: number, remedy: string): MissingRight | null {
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  if (port === 0 || port >= first || !existsSync('/run/systemd/system') || hasDropIn()) return null;
  return {
    message: `the service may not listen on port ${port}`,
    advice: `choose a port from ${first} on, or ${remedy}`,
  };
}

function hasDropIn(): boolean {
  const properties = output('/usr/bin/systemctl', [
    'show',
    'pushctl.service',
    '--property=AmbientCapabilities,PrivateUsers',
  ]);
  return (
    properties !== null &&
    /^AmbientCapabilities=.*cap_net_bind_service/m.test(properties) &&
    /^PrivateUsers=no$/m.test(properties)
  );
}

/**
 * Returns null if the service may read the file, gets a copy, or the caller is not root. Tries as its user, or `nobody`
 * before that exists.
 */
export function whyServiceCannotRead(file: string): MissingRight | null {
  const path = resolve(file);
  const foreign = notRootsAlone(path);
  if (foreign === null || process.geteuid?.() !== 0) return null;
  const place = `copy the file to ${dirname(SYSTEM_CONFIG_FILE)}`;
  const advice = `make ${foreign} writable by root only, since root copies no other files; or ${place}`;
  const sandbox = unitSandbox();
  const hidden = hiddenBy(sandbox, path);
  if (hidden !== null) return { message: `the service cannot see ${hidden}, which contains ${path}`, advice };
  return hasRight(sandbox.user, '-r', path) ? null : { message: `the service may not read ${path}`, advice };
}

/**
 * Returns null if the service may write to the folder, or none exists. Checks the unit's paths and, as root, the user's
 * rights.
 */
export function whyServiceCannotWrite(
  folder: string,
  setting: 'data_dir' | 'backup.folder' = 'data_dir',
): MissingRight | null {
  const path = resolve(folder);
  const own = serviceDataDir();
  if (own === null || !existsSync('/run/systemd/system')) return null;
  const sandbox = unitSandbox();
  const hidden = hiddenBy(sandbox, path);
  if (hidden !== null) {
    const message = `the service cannot see ${hidden}, which contains ${path}`;
    return { message, advice: `move the folder, for example to /srv, and set ${setting}` };
  }
  if (!isWritableIn(sandbox, path)) {
    const byItself = setting === 'data_dir' ? ' (`pushctl install` adds them by itself)' : '';
    const right = `allow it: run \`sudo systemctl edit pushctl\` and add these lines${byItself}:`;
    const lines = dataDirDropIn(path).trimEnd().split('\n');
    return {
      message: `the unit of the service does not allow it to write to ${path}`,
      advice: [right, ...lines.map((line) => `    ${line}`)].join('\n'),
    };
  }
  return path === own
    ? ofOthers(path, sandbox.user)
    : (ofOthers(path, sandbox.user) ?? whyUserCannotWrite(path, sandbox.user, setting));
}

/** Finds a path of another user, such as a folder moved by root. */
function ofOthers(path: string, user: string): MissingRight | null {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const uid = uidOf(user);
  if (owner === undefined || uid === null || owner === uid) return null;
  const message = `${path} belongs to user ${owner}, but the service runs as ${user} (${uid})`;
  return { message, advice: `sudo chown -hR ${user}: ${path}` };
}

/** systemd makes only the service's own folder; any other must exist. */
function whyUserCannotWrite(path: string, user: string, setting: string): MissingRight | null {
  if (process.geteuid?.() !== 0 || uidOf(user) === null) return null;
  if (!existsSync(path)) {
    const message = `${path} does not exist, and the service may not create it`;
    return { message, advice: `sudo install -d -o ${user} -g ${user} -m 700 ${path}` };
  }
  if (hasRight(user, '-w', path) && hasRight(user, '-x', path)) return null;
  const closed = foldersTo(path).find((folder) => !hasRight(user, '-x', folder));
  if (closed === undefined) {
    return { message: `the service may not write to ${path}`, advice: 'mount it writable, and check its mode' };
  }
  const message = `the service cannot reach ${path}: its user ${user} has no access to ${closed}`;
  return { message, advice: `sudo chmod o+x ${closed}; or move the folder, for example to /srv, and set ${setting}` };
}

function foldersTo(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [path] : [...foldersTo(above), path];
}

/** Asks as root. `right`: for `test`. */
function hasRight(user: string, right: '-r' | '-w' | '-x', path: string): boolean {
  const who =
    uidOf(user) === null
      ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
      : [`--reuid=${user}`, `--regid=${user}`, '--init-groups'];
  return output('/usr/bin/setpriv', [...who, '/usr/bin/test', right, path]) !== null;
}

function uidOf(user: string): number | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${user}:`));
  return line === undefined ? null : Number(line.split(':')[2]);
}
