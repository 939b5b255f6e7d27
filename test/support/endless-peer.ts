import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { makeServerCertificate } from '../../src/sandbox/credentials.ts';
import type { Resources } from './resources.ts';
import { sandboxAuthority } from './sandbox.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const SLOWLY_MS = 20;

interface Way {
  /** Sent once. */
  readonly head: string;
  /** Sent without end. */
  readonly piece: string;
  /** One at a time. */
  readonly isSlow?: true;
}

/** How a peer can answer without end. */
const WAYS = {
  headers: { head: 'HTTP/1.1 200 OK\r\n', piece: `X-Filler: ${'x'.repeat(1_000)}\r\n`.repeat(64) },
  'a header': { head: 'HTTP/1.1 200 OK\r\nX-Filler: ', piece: 'x'.repeat(65_536) },
  'interim responses': { head: '', piece: 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_000) },
  'a body': { head: 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n', piece: ' '.repeat(65_536) },
  chunks: { head: CHUNKED, piece: '1\r\n \r\n'.repeat(10_000) },
  'a chunk extension': { head: `${CHUNKED}1;`, piece: 'x'.repeat(65_536) },
  trailers: { head: `${CHUNKED}0\r\n`, piece: `X-Filler: ${'x'.repeat(1_000)}\r\n`.repeat(64) },
  'headers, a byte at a time': { head: 'HTTP/1.1 200 OK\r\nX-Filler: ', piece: 'x', isSlow: true },
  'a body, a byte at a time': { head: 'HTTP/1.1 200 OK\r\n\r\n', piece: ' ', isSlow: true },
} satisfies Readonly<Record<string, Way>>;
export type EndlessWay = keyof typeof WAYS;
export const ENDLESS: Readonly<Record<EndlessWay, Way>> = WAYS;

/** Beyond all buffers on the way. Nothing more is sent. */
export const FLOOD_BYTES = 64 * 1_048_576;

export interface EndlessPeer {
  readonly url: string;
  /** PEM of the CA to trust. */
  readonly ca: string;
  answer: EndlessWay;
  /** How much was sent, on all connections. */
  readonly sentBytes: number;
  /** Connections on which answers go on. */
  readonly open: number;
}

/** Answers everything without end, by HTTPS or HTTP. */
export async function anEndlessPeer(opened: Resources, scheme: 'http' | 'https' = 'https'): Promise<EndlessPeer> {
  const authority = await sandboxAuthority();
  const answering = new Set<Socket>();
  let sentBytes = 0;
  const go = (socket: Socket): void => {
    const { head, piece, isSlow } = ENDLESS[peer.answer];
    socket.write(head);
    sentBytes += head.length;
    const more = (): void => {
      let isTaken = true;
      while (isTaken && sentBytes < FLOOD_BYTES && socket.writable) {
        isTaken = socket.write(piece);
        sentBytes += piece.length;
      }
    };
    if (isSlow) {
      const timer = setInterval(() => {
        socket.write(piece);
        sentBytes += piece.length;
      }, SLOWLY_MS);
      socket.once('close', () => clearInterval(timer));
    } else {
      socket.on('drain', more);
      more();
    }
  };
  const serve = (socket: Socket): void => {
    socket.on('error', () => {});
    socket.once('data', () => {
      answering.add(socket);
      go(socket);
    });
    socket.once('close', () => answering.delete(socket));
  };
  const server =
    scheme === 'http'
      ? createServer(serve)
      : createTlsServer(await makeServerCertificate(authority, Date.now()), serve).on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  opened.onEnd(() => {
    for (const socket of answering) socket.destroy();
    server.close();
  });
  const peer: EndlessPeer = {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.certPem,
    answer: 'a body',
    get sentBytes() {
      return sentBytes;
    },
    get open() {
      return answering.size;
    },
  };
  return peer;
}
