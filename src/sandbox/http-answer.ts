import type { IncomingMessage, ServerResponse } from 'node:http';
import { unreachable } from '../push.ts';
import { bombOf, writeForEver } from './answers.ts';
import type { SingleAnswer } from './behaviours.ts';
import type { Listener } from './listener.ts';

/** An answer as it is on the wire. */
export interface FakeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A vendor's words: for a push that it takes, and for each reason not to. */
export interface VendorResponses {
  readonly success: FakeResponse;
  /** `status`: where it shall be another than the reason's own. */
  refusal(reason: string, status: number | undefined): FakeResponse;
}

const HTML =
  '<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title><p><b>502.</b> <ins>That’s an error.</ins>';
/** A body for what takes one to be shown, where a success has none. */
const BLANKS = ' '.repeat(10);

/** Carries an answer out over HTTP/1.1. */
export function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  answer: SingleAnswer,
  { success, refusal }: VendorResponses,
  listener: Listener,
): void {
  if (response.destroyed) return;
  const { status, headers } = success;
  const body = success.body === '' ? BLANKS : success.body;
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
    case 'hang_up':
      request.socket.destroy();
      break;
    case 'cut':
      response.writeHead(status, { ...headers, ...lengthOf(body) });
      response.write(body.slice(0, body.length / 2), () => request.socket.destroy());
      break;
    case 'drip':
      drip(response.writeHead(status, { ...headers, ...lengthOf(body) }), body, answer.everyMs);
      break;
    case 'endless':
      writeForEver(response.writeHead(status, headers));
      break;
    case 'bomb':
      response.writeHead(status, { ...headers, 'content-encoding': 'gzip' }).end(bombOf(success.body));
      break;
    case 'garbage':
      send(response, { status: 500, headers, body: '{"\xff\x00oops' });
      break;
    case 'empty':
      send(response, { status: 500, headers: {}, body: '' });
      break;
    case 'html':
      send(response, { status: 502, headers: { 'content-type': 'text/html; charset=UTF-8' }, body: HTML });
      break;
    case 'goaway':
      response.setHeader('connection', 'close');
      send(response, success);
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
  { retryAfterS }: Extract<SingleAnswer, { kind: 'refuse' }>,
  { headers, ...answer }: FakeResponse,
): void {
  const wait = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  send(response, { ...answer, headers: { ...headers, ...wait } });
}

function lengthOf(body: string): { 'content-length': number } {
  return { 'content-length': Buffer.byteLength(body) };
}

function drip(response: ServerResponse, body: string, everyMs: number): void {
  const bytes = Buffer.from(body);
  let sent = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent === bytes.length) response.end();
  }, everyMs);
  response.on('close', () => clearInterval(timer));
}

function later(response: ServerResponse, afterMs: number, then: () => void): void {
  const timer = setTimeout(then, afterMs);
  response.on('close', () => clearTimeout(timer));
}
