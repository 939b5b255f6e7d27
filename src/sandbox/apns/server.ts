import { randomUUID } from 'node:crypto';
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { parseJsonObject } from '../../values/json.ts';
import { type IssuedToken, isAccepted, reasonOf, type SandboxAnswer } from '../answers.ts';
import type { SandboxContext } from '../fake.ts';
import type { Listener } from '../listener.ts';
import { answerApns } from './answer.ts';
import type { Authorizer, ConnectionAuth } from './authorization.ts';
import {
  type ApnsReason,
  checkAddress,
  checkHeaders,
  checkPayload,
  maxPayloadBytes,
  tokenOf,
  topicOf,
} from './checks.ts';
import { APNS_WORDS, appOfToken, readApnsToken } from './token.ts';

interface ApnsOptions {
  readonly endpoint: 'apns_production' | 'apns_sandbox';
  /** Bundle IDs of the team; most devices have the first. */
  readonly topics: readonly string[];
  readonly authorize: Authorizer;
  /** Concurrent streams per connection after the first valid token; before, one, as at Apple. */
  readonly maxStreams: number;
}

/** A request with complete headers. `refusal`: their fault. */
interface Request {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApnsReason | null;
}

const SESSION_MEMORY_MB = 64;

/** Serves one environment's provider API: HTTP/2 over TLS, `POST /3/device/<token>`. */
export async function startApns(options: ApnsOptions, context: SandboxContext): Promise<Listener> {
  const server = createSecureServer({
    ...context.tls,
    settings: { maxConcurrentStreams: 1 },
    maxSessionMemory: SESSION_MEMORY_MB,
  });
  const listener = await context.listen(options.endpoint, (socket) => server.emit('connection', socket));
  // Broken connections are the sandbox's purpose.
  server.on('sessionError', () => {});
  server.on('session', (session) => {
    const connection: ConnectionAuth = { authorization: null, sinceMs: 0 };
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      const first = connection.authorization === null;
      const request = readHeaders(headers, rawHeaders, connection);
      if (first && connection.authorization !== null) {
        session.settings({ maxConcurrentStreams: options.maxStreams });
      }
      receive(stream, request);
    });
  });

  function readHeaders(given: IncomingHttpHeaders, rawHeaders: readonly string[], connection: ConnectionAuth): Request {
    const headers = given as Readonly<Record<string, string>>;
    const path = headers[':path'] ?? '';
    const seen = { method: headers[':method'] ?? '', path, headers, rawHeaders };
    const refusal =
      checkAddress(seen) ??
      options.authorize(headers.authorization, connection, context.wallMs()) ??
      checkHeaders(seen, options.topics);
    return { token: tokenOf(path), headers, refusal };
  }

  function receive(stream: ServerHttp2Stream, request: Request): void {
    const chunks: Buffer[] = [];
    let size = 0;
    const enough = maxPayloadBytes(request.headers['apns-push-type']);
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // One chunk too many suffices.
      if (size - chunk.length <= enough) chunks.push(chunk);
    });
    stream.on('end', () => answer(stream, request, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  }

  function answer(stream: ServerHttp2Stream, request: Request, body: Buffer = Buffer.alloc(0)): void {
    const payload = parseJsonObject(body.toString());
    const refusal = request.refusal ?? checkPayload(body.length, payload, request.headers['apns-push-type']);
    const chosen = refusal === null ? choose(request) : refuse(refusal);
    const apnsId = request.headers['apns-id'] ?? randomUUID();
    const receivedAtMs = context.wallMs();
    record(request, chosen, payload ?? {}, apnsId, receivedAtMs);
    answerApns(stream, chosen, apnsId, receivedAtMs);
  }

  function choose({ token, headers }: Request): SandboxAnswer {
    const issued = readApnsToken(token);
    const own = context.override({ endpoint: options.endpoint, token, issued });
    if (own !== null) return own;
    const refusal = checkDevice(issued, token, headers);
    return refusal === null ? context.faults.answerOf('apns', token, APNS_WORDS) : refuse(refusal);
  }

  function checkDevice(issued: IssuedToken | null, token: string, headers: Request['headers']): ApnsReason | null {
    if (issued === null) return context.acceptUnknownTokens ? null : 'BadDeviceToken';
    if (issued.home !== options.endpoint) return 'BadDeviceToken';
    const topic = topicOf(appOfToken(token, options.topics), headers['apns-push-type']);
    return headers['apns-topic'] === topic ? null : 'DeviceTokenNotForTopic';
  }

  function record(
    { token, headers }: Request,
    chosen: SandboxAnswer,
    payload: Readonly<Record<string, unknown>>,
    messageId: string,
    receivedAtMs: number,
  ): void {
    const { endpoint } = options;
    if (isAccepted(chosen)) context.journal.accept({ endpoint, token, payload, headers, receivedAtMs, messageId });
    else context.journal.refuse({ endpoint, token, reason: reasonOf(chosen), receivedAtMs });
  }

  return listener;
}

function refuse(reason: ApnsReason): SandboxAnswer {
  return { kind: 'refuse', reason };
}
