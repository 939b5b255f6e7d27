import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Resources } from '../support/resources.ts';

/**
 * A server of tomorrow: passes everything on to today's. Its answers have gained a field in each object and, with
 * `words`, a word in a set of words. Answers its address.
 */
export async function startGrowingProxy(opened: Resources, target: string, words: boolean): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const passed = ['authorization', 'content-type', 'idempotency-key'].flatMap((name): [string, string][] =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    );
    const body = method === 'GET' ? null : await text(request);
    const answer = await fetch(`${target}${url}`, { method, body, headers: passed });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(grown(await answer.json(), words)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `errors` is by names of fields, and gains none. */
function grown(value: unknown, words: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => grown(item, words));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([key, field]) => [key, key === 'errors' ? field : grown(field, words)]);
  const level = words && 'level' in value && { level: 'notice' };
  return { ...Object.fromEntries(inner), ...level, gained: { since: 'tomorrow' } };
}
