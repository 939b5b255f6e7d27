import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * `body` is sent as JSON, a Buffer unchanged (JSON unless a header differs). A 204 has none. `stream`: takes over after
 * the head, and ends the response.
 */
export interface HttpResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: (response: ServerResponse) => void;
}

/** Sends text unchanged, anything else as JSON. */
export function respondWith(body: unknown, headers: HttpResponse['headers'] = {}, status = 200): HttpResponse {
  if (typeof body !== 'string') return { status, body, headers };
  return { status, body: Buffer.from(body), headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' } };
}

/** Larger bodies are rejected (readJson). Unread ones close the connection. */
export const BODY_LIMIT_BYTES = 65_536;

const JSON_TYPE = 'application/json; charset=utf-8';
const LINGER_BYTES = 1_048_576;
const LINGER_MS = 2_000;

/**
 * Writes the response without Koa: all bodies are JSON. `headers`: names and values alternate. Does nothing if the
 * client is gone.
 */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse,
  headers: readonly string[],
): void {
  if (response.destroyed || response.headersSent) return;
  const text = textOf(answer.body);
  const tooMuchIsComing = hasUnreadBulk(request);
  if (tooMuchIsComing) response.shouldKeepAlive = false;
  const fields = ['X-Content-Type-Options', 'nosniff', ...headers];
  if (answer.headers?.['Cache-Control'] === undefined) fields.push('Cache-Control', 'no-store');
  if (answer.body !== undefined) {
    fields.push('Content-Length', String(Buffer.byteLength(text)));
    if (answer.headers?.['Content-Type'] === undefined) fields.push('Content-Type', JSON_TYPE);
  }
  if (answer.headers !== undefined) fields.push(...Object.entries(answer.headers).flat());
  response.writeHead(answer.status, fields);
  if (answer.stream !== undefined && request.method !== 'HEAD') {
    answer.stream(response);
    return;
  }
  if (!tooMuchIsComing || isStillWaiting(request)) {
    response.end(text);
    return;
  }
  response.write(request.method === 'HEAD' ? '' : text);
  linger(request, () => response.end());
}

function textOf(body: unknown): string | Buffer {
  if (body === undefined) return '';
  return Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

export function bodyOf(body: unknown): Buffer {
  const text = textOf(body);
  return Buffer.isBuffer(text) ? text : Buffer.from(text);
}

/** Node drops the rest of a body, which is fine only for small ones. */
function hasUnreadBulk(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > BODY_LIMIT_BYTES;
}

/** Tells whether the client awaits "100 Continue", so sends no body. */
function isStillWaiting(request: IncomingMessage): boolean {
  return request.headers.expect !== undefined && !request.readableDidRead;
}

/**
 * Reads on for a bounded time before closing: a reset after unread bytes can overtake the response (RFC 9112, section
 * 9.6).
 */
function linger(request: IncomingMessage, done: () => void): void {
  let dropped = 0;
  const finish = (): void => {
    clearTimeout(timer);
    request.off('data', drop).off('close', finish).pause();
    done();
  };
  const drop = (chunk: Buffer): void => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) finish();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.on('data', drop).once('end', finish).once('close', finish).resume();
}
