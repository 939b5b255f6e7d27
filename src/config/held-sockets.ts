/** Listening sockets held by systemd (sd_listen_fds(3)): clients wait during restarts. */
import { fstatSync, readFileSync } from 'node:fs';
import { OperatorProblem } from '../process/problem.ts';

/** A listening socket of systemd, used but not owned here. */
export interface HeldSocket {
  /** The `FileDescriptorName=` of its unit. */
  readonly name: SocketName;
  readonly fd: number;
  readonly host: string;
  readonly port: number;
}

/** The sockets by unit name. `https` replaces `listen`; `http` redirects to it. */
export type HeldSockets = Readonly<Record<SocketName, HeldSocket | null>>;

export const SOCKET_NAMES = ['https', 'http'] as const;
export type SocketName = (typeof SOCKET_NAMES)[number];

export const NO_HELD_SOCKETS: HeldSockets = { https: null, http: null };

export const SOCKET_UNITS = {
  https: 'pushctl.socket',
  http: 'pushctl-http.socket',
} as const satisfies Readonly<Record<SocketName, string>>;

const FIRST_FD = 3;
const LISTENING = '0A';

/**
 * Returns the sockets from systemd. Throws an `OperatorProblem` if one is unusable: failing is better than silently
 * listening elsewhere.
 */
export function heldSockets(env: Readonly<Record<string, string | undefined>>, pid: number): HeldSockets {
  // Other process ids belong to a parent.
  if (Number(env.LISTEN_PID) !== pid) return NO_HELD_SOCKETS;
  const count = Number(env.LISTEN_FDS ?? 0);
  if (!Number.isInteger(count) || count < 0)
    throw new OperatorProblem(`LISTEN_FDS is ${env.LISTEN_FDS}, which is not a number`, 2);
  // There may be fewer names than sockets, never more.
  const names = (env.LISTEN_FDNAMES ?? '').split(':');
  const held: Record<SocketName, HeldSocket | null> = { ...NO_HELD_SOCKETS };
  for (let index = 0; index < count; index++) {
    const name = names[index] ?? '';
    if (!isKnown(name)) throw new OperatorProblem(`systemd passed a socket named "${name}"`, 2, { advice: NAMES });
    if (held[name] !== null) throw new OperatorProblem(`systemd passed two sockets named ${name}`, 2, { advice: ONE });
    held[name] = { name, fd: FIRST_FD + index, ...addressOf(FIRST_FD + index, name) };
  }
  return held;
}

const NAMES = `set FileDescriptorName= in its unit: ${SOCKET_NAMES.join(' or ')}`;
const ONE =
  'keep one ListenStream= in its unit; a port alone means all addresses, and an empty ListenStream= clears earlier ones';

function isKnown(name: string): name is SocketName {
  return (SOCKET_NAMES as readonly string[]).includes(name);
}

/** Reads the kernel's list, since Node cannot ask a descriptor of others. */
function addressOf(fd: number, name: SocketName): { readonly host: string; readonly port: number } {
  const inode = socketInode(fd);
  const found =
    inode === null ? null : (listedAt('/proc/self/net/tcp', inode) ?? listedAt('/proc/self/net/tcp6', inode));
  if (found !== null) return found;
  throw new OperatorProblem(
    `systemd passed as ${name} (descriptor ${fd}) ${inode === null ? 'something other than a socket' : 'a socket that is not a listening TCP socket'}`,
    2,
    { advice: `set ListenStream= to a port, or an address and port, in ${SOCKET_UNITS[name]}, with Accept=no` },
  );
}

function socketInode(fd: number): number | null {
  try {
    const stats = fstatSync(fd);
    return stats.isSocket() ? stats.ino : null;
  } catch {
    return null;
  }
}

/** See proc_pid_net(5). */
function listedAt(file: string, inode: number): { readonly host: string; readonly port: number } | null {
  const rows = lines(file).map((line) => line.trim().split(/\s+/));
  const [, local = ''] = rows.find(([, , , state, , , , , , own]) => state === LISTENING && own === `${inode}`) ?? [];
  const [address = '', port = ''] = local.split(':');
  return address === '' ? null : { host: hostOf(address), port: Number.parseInt(port, 16) };
}

/** Kernels without IPv6 lack this list. */
function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Decodes four-byte words in machine order (little endian on Node's platforms). */
function hostOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').swap32();
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
