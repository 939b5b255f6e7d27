import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Resources } from './resources.ts';

export const HELD_SERVER = fileURLToPath(new URL('held-server.js', import.meta.url));
/** Plays systemd's part: the process that listens has its own number, which it keeps over each `exec`. */
const AS_SYSTEMD = 'export LISTEN_PID=$$; exec "$@"';

/** The descriptor of a listening socket, for children alone: this process takes no connections from it. */
export function descriptorOf(server: Server): number {
  const { _handle: handle } = server as unknown as { readonly _handle: { readonly fd: number } };
  return handle.fd;
}

export async function listening(options: ListenOptions): Promise<Server> {
  const server = createServer().listen(options);
  await once(server, 'listening');
  return server;
}

/** A command to which descriptors are passed by these names. */
export function withDescriptors(command: readonly string[], names: string, env: NodeJS.ProcessEnv = {}) {
  return (descriptors: readonly number[]) =>
    spawn('sh', ['-c', AS_SYSTEMD, 'sh', ...command], {
      stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
      env: { PATH: process.env.PATH, LISTEN_FDS: `${descriptors.length}`, LISTEN_FDNAMES: names, ...env },
    }) as ChildProcess & { readonly stdout: Readable };
}

/** Holds a socket like systemd and runs a command on it again each time that it ends. Answers the socket's port. */
export async function holdFor(
  opened: Resources,
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const server = await listening({ host: '127.0.0.1', port: 0, backlog: 128 });
  const { port } = server.address() as AddressInfo;
  const again = [
    'sh',
    '-c',
    `trap 'kill "$!"; exit' TERM; while :; do sh -c '${AS_SYSTEMD}' sh "$@" & wait "$!"; done`,
    'sh',
  ];
  const holder = withDescriptors([...again, ...command], 'https', env)([descriptorOf(server)]);
  // From here on it is the holder's alone.
  server.close();
  opened.onEnd(async () => {
    holder.kill();
    await once(holder, 'exit');
  });
  return port;
}
