import type { IncomingMessage, ServerResponse } from 'node:http';
import { unreachable } from '../../push.ts';
import { bombOf, writeForEver } from '../answers.ts';
import type { SingleAnswer } from '../behaviours.ts';
import type { Listener } from '../listener.ts';
import { fcmError } from './errors.ts';

const JSON_TYPE = 'application/json; charset=UTF-8';
const HTML =
  '<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title><p><b>502.</b> <ins>That’s an error.</ins>';

/** Carries an answer out. `success` is the JSON body of an accepted request. */
export function answerFcm(
  request: IncomingMessage,
  response: ServerResponse,
  answer: SingleAnswer,
  success: string,
  listener: Listener,
): void {
  if (response.destroyed) return;
  switch (answer.kind) {
    case 'accept':
      if (answer.afterMs === undefined) sendJson(response, 200, success);
      else later(response, answer.afterMs, () => sendJson(response, 200, success));
      break;
    case 'refuse':
      refuse(response, answer);
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
      response.writeHead(200, jsonHeaders(success));
      response.write(success.slice(0, success.length / 2), () => request.socket.destroy());
      break;
    case 'drip':
      drip(response, success, answer.everyMs);
      break;
    case 'endless':
      writeForEver(response.writeHead(200, { 'content-type': JSON_TYPE }));
      break;
    case 'bomb':
      response.writeHead(200, { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }).end(bombOf(success));
      break;
    case 'garbage':
      sendJson(response, 500, '{"\xff\x00oops');
      break;
    case 'empty':
      response.writeHead(500, { 'content-length': 0 }).end();
      break;
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html; charset=UTF-8' }).end(HTML);
      break;
    case 'goaway':
      response.setHeader('connection', 'close');
      sendJson(response, 200, success);
      break;
    default:
      unreachable(answer);
  }
}

export function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, jsonHeaders(body)).end(body);
}

function refuse(response: ServerResponse, answer: Extract<SingleAnswer, { kind: 'refuse' }>): void {
  const { status, body } = fcmError(answer.reason, answer.status);
  if (answer.retryAfterS !== undefined) response.setHeader('retry-after', String(answer.retryAfterS));
  sendJson(response, status, body);
}

function jsonHeaders(body: string): Record<string, string | number> {
  return { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) };
}

function drip(response: ServerResponse, body: string, everyMs: number): void {
  response.writeHead(200, jsonHeaders(body));
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
