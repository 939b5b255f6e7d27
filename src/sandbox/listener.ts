import { once } from 'node:events';
import net from 'node:net';

/**
 * How a listener treats connections. `refused`: none listens, and the open connections are cut. `black_hole`: TCP
 * connects, and then nothing, not even a TLS handshake, ever comes back.
 */
export type Outage = 'none' | 'refused' | 'black_hole';

/** A TCP front on 127.0.0.1 before a TLS server that itself listens nowhere. It keeps its port through outages. */
export interface Listener {
  readonly port: number;
  readonly outage: Outage;
  setOutage(outage: Outage): Promise<void>;
  /** The TCP connection from this remote port. */
  socketFrom(remotePort: number | undefined): net.Socket | undefined;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

export function urlOf({ port }: Pick<Listener, 'port'>): string {
  return `https://${HOST}:${port}`;
}

/** `serve` gets every connection, as the `connection` event of a TLS server does. */
export async function openListener(serve: (socket: net.Socket) => void, wantedPort: number): Promise<Listener> {
  const sockets = new Map<number | undefined, net.Socket>();
  let outage: Outage = 'none';
  const front = net.createServer((socket) => {
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(remotePort));
    socket.on('error', () => socket.destroy());
    if (outage === 'black_hole') socket.resume();
    else serve(socket);
  });
  const port = await listen(front, wantedPort);

  async function stopListening(): Promise<void> {
    if (!front.listening) return;
    const closed = once(front, 'close');
    front.close();
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  }

  return {
    port,
    get outage() {
      return outage;
    },
    async setOutage(next) {
      outage = next;
      if (next === 'refused') await stopListening();
      else if (!front.listening) await listen(front, port);
    },
    socketFrom: (remotePort) => sockets.get(remotePort),
    close: stopListening,
  };
}

async function listen(server: net.Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  return address.port;
}
