import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An endpoint by HTTPS on loopback, which answers 204 unless a test sets another answer. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** PEM of the CA to trust. */
  readonly ca: string;
  readonly received: readonly Received[];
  answer: (response: ServerResponse, received: Received) => void;
  close(): Promise<void>;
}

export async function aReceiver(): Promise<Receiver> {
  const authority = await makeAuthority(Date.now());
  const received: Received[] = [];
  const server = createServer(await makeServerCertificate(authority, Date.now()), async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const message = { path: request.url ?? '', headers: request.headers, body };
    received.push(message);
    receiver.answer(response, message);
  }).listen(0, '127.0.0.1');
  server.on('clientError', (_, socket) => socket.destroy());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `https://localhost:${port}/in`,
    port,
    ca: authority.certPem,
    received,
    answer: (response) => response.writeHead(204).end(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
