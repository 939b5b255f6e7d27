import { once } from 'node:events';
import { createServer } from 'node:net';
import { PortTaken } from '../../http/listeners/listener.ts';
import { OperatorProblem } from '../../problem.ts';

const TRIES = 100;

/**
 * Starts what listens on the first free loopback port from `wanted` on, also where another process takes one just before
 * `start` does, which then rejects with `PortTaken`. Each taken one is reported to `say`.
 */
export async function onFreePort<T>(
  wanted: number,
  start: (port: number) => Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port += 1) {
    const started = (await isFree(port)) ? await unlessTaken(start(port)) : null;
    if (started !== null) return started;
    say(`Port ${port} is taken, trying ${port + 1}.`);
  }
  throw new OperatorProblem(`no free port from ${wanted} on`, 1, { advice: 'name another with --port' });
}

async function unlessTaken<T>(started: Promise<T>): Promise<T | null> {
  try {
    return await started;
  } catch (error) {
    if (error instanceof PortTaken) return null;
    throw error;
  }
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
