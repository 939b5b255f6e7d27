import { constants, type ServerHttp2Stream } from 'node:http2';
import { unreachable } from '../../push.ts';
import { bombOf, writeForEver } from '../answers.ts';
import type { SingleAnswer } from '../behaviours.ts';
import { statusOf } from './reasons.ts';

const HIGHEST_STREAM_ID = 2 ** 31 - 1;
const HTML = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** Carries an answer out on its stream. `invalidSinceMs`: the timestamp of a 410. */
export function answerApns(
  stream: ServerHttp2Stream,
  answer: SingleAnswer,
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
    case 'hang_up':
      stream.session?.destroy();
      break;
    case 'cut':
      cut(stream, apnsId);
      break;
    case 'drip':
      drip(stream, apnsId, answer.everyMs);
      break;
    case 'endless':
      stream.respond({ ':status': 200, 'apns-id': apnsId });
      writeForEver(stream);
      break;
    case 'bomb':
      respond(stream, 200, 'application/json', bombOf('{}'), apnsId, { 'content-encoding': 'gzip' });
      break;
    case 'garbage':
      respond(stream, 500, 'application/json', Buffer.from('7b22ff00fe80', 'hex'), apnsId);
      break;
    case 'empty':
      respond(stream, 500, 'application/json', '', apnsId);
      break;
    case 'html':
      respond(stream, 502, 'text/html', HTML, apnsId);
      break;
    case 'goaway':
      goAway(stream, apnsId, answer.twice);
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
  answer: Extract<SingleAnswer, { kind: 'refuse' }>,
  apnsId: string,
  invalidSinceMs: number,
): void {
  const status = answer.status ?? statusOf(answer.reason);
  const body = JSON.stringify({ reason: answer.reason, ...(status === 410 && { timestamp: invalidSinceMs }) });
  const headers = answer.retryAfterS === undefined ? {} : { 'retry-after': String(answer.retryAfterS) };
  respond(stream, status, 'application/json', body, apnsId, headers);
}

function respond(
  stream: ServerHttp2Stream,
  status: number,
  contentType: string,
  body: string | Buffer,
  apnsId: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  stream.respond({ ':status': status, 'apns-id': apnsId, 'content-type': contentType, ...headers });
  stream.end(body);
}

/** The headers say 200, and then the connection is gone before the stream has ended. */
function cut(stream: ServerHttp2Stream, apnsId: string): void {
  stream.respond({ ':status': 200, 'apns-id': apnsId });
  stream.write(' ', () => stream.session?.destroy());
}

/** A success has no body at APNs, so spaces must do. */
function drip(stream: ServerHttp2Stream, apnsId: string, everyMs: number): void {
  stream.respond({ ':status': 200, 'apns-id': apnsId });
  let left = 10;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) stream.write(' ');
    else stream.end();
  }, everyMs);
  stream.on('close', () => clearInterval(timer));
}

/** The connection says goodbye first, then answers what is in flight, and closes. */
function goAway(stream: ServerHttp2Stream, apnsId: string, twice: boolean): void {
  const { session } = stream;
  const acceptStill = () => {
    if (!stream.destroyed) accept(stream, apnsId);
  };
  if (session === undefined) return;
  if (!twice) {
    session.close();
    acceptStill();
    return;
  }
  session.goaway(constants.NGHTTP2_NO_ERROR, HIGHEST_STREAM_ID);
  // A round trip lies between the two frames (RFC 9113 6.8), and one before the answer, so that both meet it in flight.
  session.ping(() => {
    session.close();
    session.ping(acceptStill);
  });
}

function later(stream: ServerHttp2Stream, afterMs: number, then: () => void): void {
  const timer = setTimeout(() => {
    if (!stream.destroyed) then();
  }, afterMs);
  stream.on('close', () => clearTimeout(timer));
}
