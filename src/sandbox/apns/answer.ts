import { constants, type ServerHttp2Stream } from 'node:http2';
import { unreachable } from '../../push.ts';
import type { SandboxAnswer } from '../answers.ts';
import { statusOf } from './checks.ts';

/** Answers on the stream. `invalidSinceMs`: a 410's timestamp. */
export function answerApns(
  stream: ServerHttp2Stream,
  answer: SandboxAnswer,
  apnsId: string,
  invalidSinceMs: number,
): void {
  if (stream.destroyed) return;
  switch (answer.kind) {
    case 'accept':
      if (answer.afterMs === undefined) accept(stream, apnsId);
      else later(stream, answer.afterMs, () => accept(stream, apnsId));
      break;
    case 'refuse':
      refuse(stream, answer, apnsId, invalidSinceMs);
      break;
    case 'reset':
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      break;
    case 'silent':
      break;
    case 'own':
      answer.overHttp2(stream, apnsId);
      break;
    default:
      unreachable(answer);
  }
}

function accept(stream: ServerHttp2Stream, apnsId: string): void {
  stream.respond({ ':status': 200, 'apns-id': apnsId }, { endStream: true });
}

function refuse(
  stream: ServerHttp2Stream,
  answer: Extract<SandboxAnswer, { kind: 'refuse' }>,
  apnsId: string,
  invalidSinceMs: number,
): void {
  const status = answer.status ?? statusOf(answer.reason);
  const body = JSON.stringify({ reason: answer.reason, ...(status === 410 && { timestamp: invalidSinceMs }) });
  const headers = answer.retryAfterS === undefined ? {} : { 'retry-after': String(answer.retryAfterS) };
  stream.respond({ ':status': status, 'apns-id': apnsId, 'content-type': 'application/json', ...headers });
  stream.end(body);
}

function later(stream: ServerHttp2Stream, afterMs: number, then: () => void): void {
  const timer = setTimeout(() => {
    if (!stream.destroyed) then();
  }, afterMs);
  stream.on('close', () => clearTimeout(timer));
}
