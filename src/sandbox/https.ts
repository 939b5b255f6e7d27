import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { unreachable } from '../push.ts';
import type { FakeResponse, SandboxAnswer } from './answers.ts';
import type { SandboxContext } from './fake.ts';
import type { Listener } from './listener.ts';
import type { EndpointName } from './names.ts';

/** Gets each whole request. Bodies above 64 KiB are cut a little beyond that. */
type Serve = (request: IncomingMessage, response: ServerResponse, body: Buffer, listener: Listener) => void;

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

/** A vendor's answers to accepted pushes and for each reason. */
export interface VendorResponses {
  readonly success: FakeResponse;
  /** `status`: overrides the reason's own. */
  refusal(reason: string, status: number | undefined): FakeResponse;
}

/** Carries an answer out over HTTP/1.1. */
export function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  answer: SandboxAnswer,
  { success, refusal }: VendorResponses,
  listener: Listener,
): void {
  if (response.destroyed) return;
  switch (answer.kind) {
    case 'accept':
      if (answer.afterMs === undefined) send(response, success);
      else later(response, answer.afterMs, () => send(response, success));
      break;
    case 'refuse':
      refuse(response, answer, refusal(answer.reason, answer.status));
      break;
    case 'reset':
      listener.socketFrom(request.socket.remotePort)?.resetAndDestroy();
      break;
    case 'silent':
      break;
    case 'own':
      answer.overHttp1(response, success);
      break;
    default:
      unreachable(answer);
  }
}

export function send(response: ServerResponse, { status, headers, body }: FakeResponse): void {
  response.writeHead(status, { ...headers, ...lengthOf(body) }).end(body);
}

function refuse(
  response: ServerResponse,
  { retryAfterS }: Extract<SandboxAnswer, { kind: 'refuse' }>,
  { headers, ...answer }: FakeResponse,
): void {
  const wait = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  send(response, { ...answer, headers: { ...headers, ...wait } });
}

function lengthOf(body: string): { 'content-length': number } {
  return { 'content-length': Buffer.byteLength(body) };
}

function later(response: ServerResponse, afterMs: number, then: () => void): void {
  const timer = setTimeout(then, afterMs);
  response.on('close', () => clearTimeout(timer));
}
