import { once } from 'node:events';
import net from 'node:net';
import type { EndpointName } from './names.ts';

/** A TCP front on 127.0.0.1 for a TLS server that does not listen. */
export interface Listener {
  readonly port: number;
  /** Returns the connection from this remote port. */
  socketFrom(remotePort: number | undefined): net.Socket | undefined;
  /** Cuts the open connections, too. */
  close(): Promise<void>;
}

/**
 * Opens an endpoint's listener (0: any free port). `serve` gets connections, like a TLS server's `connection` event.
 */
export type OpenListener = (
  serve: (socket: net.Socket) => void,
  port: number,
  endpoint: EndpointName,
) => Promise<Listener>;

export const HOST = '127.0.0.1';

export function urlOf({ port }: Pick<Listener, 'port'>): string {
  return `https://${HOST}:${port}`;
}

export const openListener: OpenListener = async (serve, wantedPort) => {
  const sockets = new Map<number | undefined, net.Socket>();
  const front = net.createServer((socket) => {
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(remotePort));
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  const port = await listen(front, wantedPort);
  return {
    port,
    socketFrom: (remotePort) => sockets.get(remotePort),
    async close() {
      if (!front.listening) return;
      const closed = once(front, 'close');
      front.close();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
};

async function listen(server: net.Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  return address.port;
}
