import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import * as assert from 'uvu/assert';
import { slowness, threadCpuMs } from './thread-cpu.ts';

/**
 * The bound of processor time, so waiting on a busy machine is not in it. It is more than the 10 ms, since it covers
 * all threads together. The test's own part, which sends the request and reads the answer, runs on the serving thread.
 */
const MOST_MS = 15;
/**
 * The quietest of some runs shows the cost of a request: a busy machine has cold caches. A slow request is slow in
 * each.
 */
const TRIES = 20;
/** Passwords are hashed on threads of their own, which takes long on purpose. */
const HASHING = ['/api/v1/session', '/api/v1/session/password'];

/** A request. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: string | Buffer | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a thread of its own works on it as well, for longer. */
  readonly isApart?: boolean;
}

/** Those that are too slow at each try, in words. */
export async function slowOf(url: string, asks: readonly Ask[]): Promise<readonly string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const slow: string[] = [];
  for (const ask of asks) {
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && least > MOST_MS; tries += 1) {
      const { status, ms } = await cost(url, agent, ask);
      assert.ok(status < 500, `${ask.method} ${ask.path.slice(0, 80)}: ${status}`);
      least = Math.min(least, ms);
    }
    const what = `${ask.method} ${ask.path.slice(0, 80)} ${ask.body?.toString().slice(0, 120)}`;
    if (least > MOST_MS && least > MOST_MS * (await slowness())) slow.push(`${least.toFixed(1)} ms: ${what}`);
  }
  agent.destroy();
  return slow;
}

/** Asks, and answers the status and the processor time that it took, in ms. */
async function cost(
  url: string,
  agent: Agent,
  { method, path, key, body, headers: given, isApart = HASHING.includes(path) }: Ask,
): Promise<{ status: number; ms: number }> {
  const usedMs = isApart ? threadCpuMs : processCpuMs;
  const before = usedMs();
  const type = body !== null && { 'Content-Type': 'application/json' };
  const headers = { Authorization: `Bearer ${key}`, ...type, ...given };
  const request = httpRequest(`${url}${path}`, { method: method.toUpperCase(), agent, headers });
  request.end(body ?? undefined);
  const [response] = await once(request, 'response');
  await response.resume().toArray();
  return { status: response.statusCode, ms: usedMs() - before };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
