import { once } from 'node:events';
import { createServer } from 'node:net';
import { OperatorProblem } from '../../problem.ts';

const TRIES = 100;

/** The first free loopback port from `wanted` on. Each taken one is told to `say`. */
export async function freePort(wanted: number, say: (line: string) => void): Promise<number> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port += 1) {
    if (await isFree(port)) return port;
    say(`Port ${port} is taken, trying ${port + 1}.`);
  }
  throw new OperatorProblem(`no free port from ${wanted} on`, 1, { advice: 'name another with --port' });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    server.close();
  }
}
