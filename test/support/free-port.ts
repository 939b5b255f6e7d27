import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A port of loopback at which connections are refused, until somebody listens at just this one. */
export interface HeldPort {
  readonly port: number;
  release(): void;
}

/** One that is held as long as this process lives. */
export async function freePort(): Promise<number> {
  return (await holdPort()).port;
}

/** Below the ports that the system gives to connections. */
const LOWEST_IN_A_ROW = 20_000;
const MOST_ABOVE = 10_000;

/** Returns the first of some ports in a row at which nothing listens. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = LOWEST_IN_A_ROW + Math.floor(Math.random() * MOST_ABOVE);
    const held = await Promise.allSettled(Array.from({ length: count }, (_, place) => holdPort(first + place)));
    for (const port of held) if (port.status === 'fulfilled') port.value.release();
    if (held.every(({ status }) => status === 'fulfilled')) return first;
  }
}

/**
 * Binds a connection's own end: the system gives that port to nobody who takes any port. A server that names it may
 * listen there, since servers set SO_REUSEADDR. `port`: this port, which nothing may listen at; 0: any.
 */
export async function holdPort(port = 0): Promise<HeldPort> {
  const host = '127.0.0.1';
  const server = createServer((socket) => socket.unref()).listen(0, host);
  await once(server, 'listening');
  const { port: other } = server.address() as AddressInfo;
  const holding = connect({ host, port: other, localAddress: host, localPort: port });
  await once(holding, 'connect');
  server.close();
  holding.unref();
  return { port: Number(holding.localPort), release: () => void holding.destroy() };
}
