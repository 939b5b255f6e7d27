import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { isAccepted, reasonOf } from '../answers.ts';
import type { SingleAnswer } from '../behaviours.ts';
import type { RunningEndpoint, SandboxContext } from '../context.ts';
import { type Listener, openListener } from '../listener.ts';
import { answerFcm, sendJson } from './answer.ts';
import { checkRequest, type FcmRequest, isViolation } from './checks.ts';
import { badRequest, type FcmCode, type FcmError, fcmError } from './errors.ts';
import { isOAuthError, type OAuth } from './oauth.ts';
import { FCM_BEHAVIOURS, readFcmToken } from './token.ts';

export interface FcmOptions {
  readonly port: number;
  readonly projectId: string;
  readonly oauth: OAuth;
}

interface Refused {
  readonly reason: FcmCode;
  readonly error: FcmError;
}

const SEND_PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const KEEP_ALIVE_MS = 300_000;
const BODY_MAX_BYTES = 64 * 1024;

/** FCM's HTTP v1 API: `POST /v1/projects/{id}/messages:send` over HTTPS. */
export async function startFcm(options: FcmOptions, context: SandboxContext): Promise<RunningEndpoint> {
  const { oauth, projectId, port } = options;

  function serve(request: IncomingMessage, response: ServerResponse, body: string, listener: Listener): void {
    const nowMs = context.wallMs();
    const read = check(request, body, nowMs);
    if (isRefused(read)) {
      context.journal.refuse({ endpoint: 'fcm', token: '', reason: read.reason, receivedAtMs: nowMs });
      sendJson(response, read.error.status, read.error.body);
      return;
    }
    const messageId = `projects/${projectId}/messages/${randomBytes(12).toString('hex')}`;
    const chosen = choose(read, listener);
    if (!read.validateOnly) record(read, chosen, request, messageId, nowMs);
    const name = read.validateOnly ? `projects/${projectId}/messages/fake_message_id` : messageId;
    answerFcm(request, response, chosen, `${JSON.stringify({ name }, null, 2)}\n`, listener);
  }

  /** In Google's order: path, OAuth token, project, body. */
  function check(request: IncomingMessage, body: string, nowMs: number): FcmRequest | Refused {
    const project = SEND_PATH.exec(request.url ?? '')?.[1];
    if (project === undefined || request.method !== 'POST') return refused('NOT_FOUND');
    if (!oauth.isGood(request.headers.authorization, nowMs)) return refused('UNAUTHENTICATED');
    if (project !== projectId) return refused('NOT_FOUND');
    const read = checkRequest(body);
    return isViolation(read) ? { reason: 'INVALID_ARGUMENT', error: badRequest(read) } : read;
  }

  function choose({ target }: FcmRequest, listener: Listener): SingleAnswer {
    if (listener.outage === 'black_hole') return { kind: 'silent' };
    const ruled = context.rules.take('fcm', target.value);
    if (ruled !== null) return ruled;
    if (target.kind === 'topic' || target.kind === 'condition') return { kind: 'accept' };
    const issued = readFcmToken(target.value);
    if (issued === null && context.acceptUnknownTokens) return { kind: 'accept' };
    if (issued?.home !== 'fcm') return { kind: 'refuse', reason: 'INVALID_ARGUMENT' };
    return context.rules.ofToken(target.value, issued, FCM_BEHAVIOURS);
  }

  function record(
    { target, message }: FcmRequest,
    chosen: SingleAnswer,
    request: IncomingMessage,
    messageId: string,
    receivedAtMs: number,
  ): void {
    const token = target.value;
    if (!isAccepted(chosen)) {
      context.journal.refuse({ endpoint: 'fcm', token, reason: reasonOf(chosen), receivedAtMs });
      return;
    }
    const headers = request.headers as Readonly<Record<string, string>>;
    context.journal.accept({ endpoint: 'fcm', token, payload: message, headers, receivedAtMs, messageId });
  }

  return startHttps(port, context.tls, serve);
}

/** Google's OAuth token endpoint, `POST /token`, on a listener of its own so that it can fail on its own. */
export function startOAuth(options: { port: number; oauth: OAuth }, context: SandboxContext): Promise<RunningEndpoint> {
  return startHttps(options.port, context.tls, (request, response, body, listener) => {
    if (request.method !== 'POST' || request.url !== '/token') {
      sendJson(response, 404, '{"error":"not_found"}');
      return;
    }
    const result = options.oauth.grant(body, context.wallMs());
    if (isOAuthError(result)) sendJson(response, result.status, JSON.stringify(result.body));
    else answerFcm(request, response, chooseGrant(listener, context), JSON.stringify(result), listener);
  });
}

function chooseGrant(listener: Listener, context: SandboxContext): SingleAnswer {
  if (listener.outage === 'black_hole') return { kind: 'silent' };
  return context.rules.take('oauth', '') ?? { kind: 'accept' };
}

function refused(reason: FcmCode): Refused {
  return { reason, error: fcmError(reason) };
}

function isRefused(result: FcmRequest | Refused): result is Refused {
  return 'error' in result;
}

type Serve = (request: IncomingMessage, response: ServerResponse, body: string, listener: Listener) => void;

async function startHttps(port: number, tls: SandboxContext['tls'], serve: Serve): Promise<RunningEndpoint> {
  const server = createServer({ ...tls, keepAliveTimeout: KEEP_ALIVE_MS });
  const listener = await openListener((socket) => server.emit('connection', socket), port);
  // Clients that break off are what the sandbox is for.
  server.on('tlsClientError', () => {});
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_MAX_BYTES) chunks.push(chunk);
    });
    request.on('end', () => serve(request, response, Buffer.concat(chunks).toString(), listener));
  });
  return { listener, setOutage: listener.setOutage, close: listener.close };
}
