import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { SandboxContext } from './fake.ts';
import type { Listener } from './listener.ts';
import type { EndpointName } from './names.ts';

/** Gets each whole request. Bodies above 64 KiB are cut a little beyond that. */
export type Serve = (request: IncomingMessage, response: ServerResponse, body: Buffer, listener: Listener) => void;

const KEEP_ALIVE_MS = 300_000;
const BODY_MAX_BYTES = 64 * 1024;

/** HTTP/1.1 over TLS on loopback. */
export async function startHttps(
  endpoint: EndpointName,
  { tls, listen }: Pick<SandboxContext, 'tls' | 'listen'>,
  serve: Serve,
): Promise<Listener> {
  const server = createServer({ ...tls, keepAliveTimeout: KEEP_ALIVE_MS });
  const listener = await listen(endpoint, (socket) => server.emit('connection', socket));
  // Broken connections are the sandbox's purpose.
  server.on('tlsClientError', () => {});
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      if (size <= BODY_MAX_BYTES) chunks.push(chunk);
      size += chunk.length;
    });
    request.on('end', () => serve(request, response, Buffer.concat(chunks), listener));
  });
  return listener;
}
