/** Open apps: streams of events whose contents are not looked at. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { serveHandlers } from './handlers.ts';

let heard = 0;

interface Apps {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly streamsPerToken: number;
}

const handlers = {
  /** So many for each session token. */
  async open({ url, tokens, streamsPerToken }: Apps): Promise<void> {
    const all = tokens.flatMap((token) => Array.from({ length: streamsPerToken }, () => token));
    await Promise.all(all.map((token) => openOne(url, token)));
  },

  /** Parts of the answers that have come since the last look. */
  heard(): number {
    const count = heard;
    heard = 0;
    return count;
  },
};
export type StreamHandlers = typeof handlers;
serveHandlers(handlers);

async function openOne(url: string, token: string): Promise<void> {
  const request = httpRequest(`${url}/api/v1/stream`, { agent: false, headers: { Authorization: `Bearer ${token}` } });
  request.on('error', () => {}).end();
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
  response.on('data', () => {
    heard += 1;
  });
  response.on('error', () => {});
}
