import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';

/** An HTTP/2 server that answers its first request, and reads none of the others before `read`. */
export interface SlowReader {
  readonly url: string;
  /** PEM of the CA to trust. */
  readonly ca: string;
  /** Whose headers have come in. */
  readonly requests: number;
  /** Reads and answers everything from now on. */
  read(): void;
  close(): Promise<void>;
}

/** `onRequest`: called with the number of each request as its headers come in. */
export async function startSlowReader(onRequest: (nth: number) => void = () => {}): Promise<SlowReader> {
  const authority = await makeAuthority(Date.now());
  const server = createSecureServer(await makeServerCertificate(authority, Date.now()));
  const unread: ServerHttp2Stream[] = [];
  let isReading = true;
  let requests = 0;
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream) => {
    requests += 1;
    onRequest(requests);
    stream.on('error', () => {});
    if (isReading) answer(stream);
    else unread.push(stream);
    if (requests === 1) isReading = false;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.certPem,
    get requests() {
      return requests;
    },
    read() {
      isReading = true;
      for (const stream of unread.splice(0)) answer(stream);
    },
    async close() {
      server.close();
    },
  };
}

function answer(stream: ServerHttp2Stream): void {
  stream.on('end', () => {
    stream.respond({ ':status': 200 });
    stream.end();
  });
  stream.resume();
}
