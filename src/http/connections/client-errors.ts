import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { API_ERRORS, type ApiErrorCode } from '../../contract/errors.ts';
import { ApiError } from '../errors.ts';
import { requestIdOf } from '../request-state.ts';
import type { PendingResponses } from './pending-responses.ts';

/**
 * Answers in JSON what Node rejects before requests exist: non-HTTP, too large headers, timeouts. Then closes the
 * connection.
 */
export function answerClientErrors(server: Server, pending: PendingResponses, log: Logger): void {
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, code: ApiErrorCode): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const request = pending.unfinishedOn(socket)?.req;
    const answer = (): void => {
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      const requestId = requestIdOf(request);
      // A request that is being read is logged once, when its handler fails.
      if (request === undefined) log.info({ requestId, method: null, route: null, status: API_ERRORS[code].status });
      else breakOff(request, socket, code);
      write(socket, code, requestId);
    };
    const before = pending.lastOn(socket);
    if (before === undefined) answer();
    else before.once('close', answer);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // pending-responses.ts failed the parser, and ends the connection.
    if (error.code !== 'HPE_CB_HEADERS_COMPLETE') refuse(socket, codeOf(error));
  });
  server.on('connect', (_request, socket) => refuse(socket, 'route_not_found'));
}

function codeOf(error: NodeJS.ErrnoException): ApiErrorCode {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'payload_too_large';
    default:
      return 'invalid_request';
  }
}

/** Fails the request's reading with the reason, which Node's listener would hide. */
function breakOff(request: IncomingMessage, socket: Duplex, code: ApiErrorCode): void {
  socket.prependOnceListener('close', () => request.once('error', () => {}).destroy(new ApiError(code)));
}

function write(socket: Duplex, code: ApiErrorCode, requestId: string): void {
  const { status, message } = API_ERRORS[code];
  const body = JSON.stringify(status === 404 ? { message } : { message, code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
