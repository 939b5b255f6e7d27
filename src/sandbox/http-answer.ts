import type { IncomingMessage, ServerResponse } from 'node:http';
import { unreachable } from '../push.ts';
import type { FakeResponse, SandboxAnswer } from './answers.ts';
import type { Listener } from './listener.ts';

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
