import { randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import type { WebPushRoute } from '../../contract/push-services.ts';
import type { RunningEndpoint, SandboxContext } from '../context.ts';
import { openListener } from '../listener.ts';

/** A push service that takes whatever is posted to it: 201, as RFC 8030 has it. */
export async function startPushService(
  route: WebPushRoute,
  port: number,
  { tls, wallMs, journal }: SandboxContext,
): Promise<RunningEndpoint> {
  const server = createServer(tls);
  const listener = await openListener((socket) => server.emit('connection', socket), port);
  // Clients that break off are what the sandbox is for.
  server.on('tlsClientError', () => {});
  server.on('request', (request, response) => {
    if (listener.outage === 'black_hole') return;
    request.on('error', () => {});
    request.resume();
    request.on('end', () => {
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const messageId = `https://${request.headers.host}/m/${randomUUID()}`;
      const token = `https://${request.headers.host}${request.url}`;
      const headers = request.headers as Readonly<Record<string, string>>;
      journal.accept({ endpoint: route, token, payload: {}, headers, receivedAtMs: wallMs(), messageId });
      response.writeHead(201, { location: messageId }).end();
    });
  });
  return { listener, setOutage: listener.setOutage, close: listener.close };
}
