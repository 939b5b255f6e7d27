import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { PortTaken } from '../../http/listeners/listener.ts';
import { OperatorProblem } from '../../process/problem.ts';

const TRIES = 100;

/**
 * Starts a listener on the first free loopback port from `wanted` on, and reports taken ports to `say`. If `start`
 * rejects with `PortTaken`, the next port is tried. 0: any free port, found before the start, since links name it.
 */
export async function onFreePort<T>(
  wanted: number,
  start: (port: number) => Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  const first = wanted === 0 ? ((await freePort(0)) ?? 0) : wanted;
  for (let port = first; port < first + TRIES && port <= 65_535; port += 1) {
    const started = (await freePort(port)) !== null ? await unlessTaken(start(port)) : null;
    if (started !== null) return started;
    say(`Port ${port} is taken, trying ${port + 1}.`);
  }
  throw new OperatorProblem(`no free port from ${wanted} on`, 1, { advice: 'choose another with --port' });
}

async function unlessTaken<T>(started: Promise<T>): Promise<T | null> {
  try {
    return await started;
  } catch (error) {
    if (error instanceof PortTaken) return null;
    throw error;
  }
}

/** Returns `port`, or any free one for 0; null: taken. */
async function freePort(port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  } finally {
    server.close();
  }
}
