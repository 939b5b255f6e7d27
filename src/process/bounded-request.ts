import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import { type RequestOptions, request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { USER_AGENT } from './package.ts';

/** Enough for any server: 103 Early Hints once, 102 Processing every few seconds. */
const MOST_INTERIM = 16;

/** A request's bounds. Node bounds headers to 16 KiB. */
interface Bounds {
  /** From the start to the response's end. */
  readonly withinMs: number;
  readonly mostBytes: number;
  /** Makes the error for exceeding the time. */
  readonly tooLate?: () => Error;
}

export class BoundExceeded extends Error {
  readonly code: 'ETIMEDOUT' | 'EMSGSIZE';

  constructor(code: BoundExceeded['code']) {
    super(code === 'ETIMEDOUT' ? 'the other side did not answer in time' : 'the response is too long');
    this.code = code;
  }
}

/**
 * Ends request and connection at a bound, whatever arrives: slow bytes, endless bodies, or interim responses, read
 * unseen by Node.
 */
export function boundRequest(asking: ClientRequest, { withinMs, mostBytes, tooLate }: Bounds): void {
  let answer: IncomingMessage | null = null;
  const end: End = (code) => {
    if (asking.destroyed) return;
    const error = (code === 'ETIMEDOUT' && tooLate?.()) || new BoundExceeded(code);
    // A destroyed request's answer has no listener.
    if (answer === null) asking.destroy(error);
    else {
      answer.emit('error', error);
      asking.destroy();
    }
  };
  const timer = setTimeout(() => end('ETIMEDOUT'), withinMs);
  asking.once('close', () => clearTimeout(timer));
  asking.on('information', interimCounter(end));
  asking.prependOnceListener('response', (response) => {
    answer = response;
    response.on('data', byteCounter(mostBytes, end));
  });
}

/** Bounds an HTTP/2 request except in time. */
export function boundStream(stream: ClientHttp2Stream, { mostBytes }: Pick<Bounds, 'mostBytes'>): void {
  const end: End = (code) => void stream.destroy(new BoundExceeded(code));
  stream.on('headers', interimCounter(end));
  stream.on('data', byteCounter(mostBytes, end));
}

type End = (code: BoundExceeded['code']) => void;

function interimCounter(end: End): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MOST_INTERIM) end('EMSGSIZE');
  };
}

function byteCounter(mostBytes: number, end: End): (chunk: Buffer | string) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes > mostBytes) end('EMSGSIZE');
  };
}

interface BoundedRequest extends Bounds, Pick<RequestOptions, 'method' | 'lookup' | 'signal' | 'rejectUnauthorized'> {
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array | undefined;
  /** PEM of CAs instead of the system's. */
  readonly ca?: string | string[] | undefined;
  /** Called once connected, with the certificate verified. */
  readonly onConnected?: () => void;
}

interface BoundedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty and unread with `mostBytes: 0`. */
  readonly body: Buffer;
}

/**
 * Makes one request on a new connection, without redirects. Rejects with `BoundExceeded` or a Node error with `code`.
 */
export function sendRequest(
  url: string | URL,
  { withinMs, mostBytes, headers, body, ca, onConnected, ...options }: BoundedRequest,
): Promise<BoundedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<BoundedAnswer>();
  const isPlain = new URL(url).protocol === 'http:';
  const request = isPlain ? plainRequest : tlsRequest;
  const asking = request(url, {
    ...options,
    headers: { 'User-Agent': USER_AGENT, ...headers },
    agent: false,
    ...(ca !== undefined && { ca }),
  });
  boundRequest(asking, { withinMs, mostBytes });
  if (!isPlain) asking.once('socket', nameCertificate);
  if (onConnected !== undefined) {
    asking.once('socket', (socket) => void socket.once(isPlain ? 'connect' : 'secureConnect', onConnected));
  }
  asking.on('error', reject);
  asking.once('response', (response) => {
    const chunks: Buffer[] = [];
    const answer = () => {
      const { statusCode: status = 0, headers: received } = response;
      resolve({ status, headers: received, body: Buffer.concat(chunks) });
    };
    response.on('error', reject);
    if (mostBytes === 0) {
      answer();
      response.destroy();
      return;
    }
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', answer);
  });
  asking.end(body);
  return promise;
}

const MOST_LENGTH = 100;

/** The error of an untrusted certificate. */
export interface CertificateError {
  /** `CN=proxy.example.com, issued by CN=Example Proxy CA`. */
  certificate?: string;
}

/**
 * Adds an untrusted peer's certificate to the error, which Node omits: it reveals who opens TLS on the way. `socket`:
 * TLS, not yet connected.
 */
export function nameCertificate(socket: Duplex): void {
  // Before Node judges the certificate, which is then out of reach.
  socket.prependOnceListener('secure', function (this: TLSSocket) {
    // getPeerX509Certificate would leave Node without the certificate's names, so without trust. `socket` may be that
    // of an HTTP/2 session, which throws once the session has ended.
    const shown: PeerCertificate | null = this.getPeerCertificate();
    const certificate = `${nameOf(shown?.subject)}, issued by ${nameOf(shown?.issuer)}`;
    this.prependOnceListener('error', (error: CertificateError) => {
      error.certificate = certificate;
    });
  });
}

/** Returns one line, since it goes to terminals and logs. */
function nameOf(name: object | undefined): string {
  const parts = Object.entries(name ?? {}).map(([kind, value]) => `${kind}=${value}`);
  const line = parts.join(' ').replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return line.slice(0, MOST_LENGTH) || 'no one';
}
