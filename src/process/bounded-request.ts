import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import { type RequestOptions, request as tlsRequest } from 'node:https';
import { USER_AGENT } from './package.ts';
import { nameCertificate } from './peer-certificate.ts';

/** No server needs more: 103 Early Hints comes once, 102 Processing every few seconds. */
const MOST_INTERIM = 16;

/** Bounds of one request. Those of the headers are Node's: 16 KiB. */
export interface Bounds {
  /** From its beginning to the end of the response. */
  readonly withinMs: number;
  /** Most bytes of the response's body. */
  readonly mostBytes: number;
  /** Makes the error of a request that takes too long. */
  readonly tooLate?: () => Error;
}

/** The peer exceeded a bound: it took too long, or its response is too long. */
export class BoundExceeded extends Error {
  readonly code: 'ETIMEDOUT' | 'EMSGSIZE';

  constructor(code: BoundExceeded['code']) {
    super(code === 'ETIMEDOUT' ? 'the other side did not answer in time' : 'the response is too long');
    this.code = code;
  }
}

/**
 * Ends a request, and its connection, if the peer goes on beyond a bound, whatever it sends: a byte a second, a body
 * without end, or interim responses, which Node reads before anyone sees a response.
 */
export function boundRequest(asking: ClientRequest, { withinMs, mostBytes, tooLate }: Bounds): void {
  let answer: IncomingMessage | null = null;
  const end: End = (code) => {
    if (asking.destroyed) return;
    const error = (code === 'ETIMEDOUT' && tooLate?.()) || new BoundExceeded(code);
    // Nobody listens any more to the answer of a request that was destroyed.
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

/** The same for a request over HTTP/2, but for its time. */
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

export interface BoundedRequest
  extends Bounds,
    Pick<RequestOptions, 'method' | 'lookup' | 'signal' | 'rejectUnauthorized'> {
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array | undefined;
  /** PEM of CAs to trust instead of the system's. */
  readonly ca?: string | string[] | undefined;
  /** Called once the connection stands, and the peer's certificate was verified. */
  readonly onConnected?: () => void;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty with `mostBytes: 0`: then nothing of it is read. */
  readonly body: Buffer;
}

/**
 * Makes one request, on a connection of its own. Redirects are answers like all others. Rejects with `BoundExceeded`, or
 * an error of Node's with a `code`.
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
