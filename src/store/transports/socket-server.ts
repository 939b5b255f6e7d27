import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { OperatorProblem } from '../../process/problem.ts';
import { Connection, type ConnectionOptions } from './socket-connection.ts';

/** The longest `sun_path` (unix(7)) without the final zero. */
const MAX_PATH_BYTES = 107;
/** Reading clients need no more at a time. */
const MOST_READERS = 64;

export interface SocketOptions extends ConnectionOptions {
  readonly path: string;
}

/** Lets the same user's command line tool call the store. Socket mode 0600; 0660 for `readers`. */
export async function serveSocket(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const connections = new Set<Socket>();
  let lastNumber = 0;
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    lastNumber += 1;
    new Connection(socket, options, lastNumber).serve();
  });
  if (options.readers) server.maxConnections = MOST_READERS;
  await listen(server, options.path, options.readers ? 0o660 : 0o600);
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Node removes the socket file on close, and silently cuts long paths. */
async function listen(server: Server, path: string, mode: number): Promise<void> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new OperatorProblem(
      `the socket ${path} has a path of more than ${MAX_PATH_BYTES} bytes, which the system does not allow.`,
      1,
      { advice: 'Choose a data_dir with a shorter path.' },
    );
  }
  rmSync(path, { force: true });
  try {
    server.listen(path);
    await once(server, 'listening');
    chmodSync(path, mode);
  } catch (error) {
    server.close();
    throw new OperatorProblem(`cannot listen on the socket ${path}: ${(error as Error).message}.`);
  }
}
