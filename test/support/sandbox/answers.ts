import type { ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { unreachable } from '../../../src/push.ts';
import type { FakeResponse, OwnAnswer, SandboxAnswer } from '../../../src/sandbox/answers.ts';
import { send } from '../../../src/sandbox/https.ts';

/**
 * The sandbox's own answers, and those of providers and ways to them that are at fault:
 *
 * - `hang_up`: the connection is closed without an answer.
 * - `cut`: accepted, but the connection breaks in the middle of the answer.
 * - `keep`: accepted, but kept for `forS` seconds at most.
 * - `drip`: accepted, and the answer comes byte by byte, `everyMs` apart.
 * - `endless`: accepted, but the answer has no end.
 * - `bomb`: accepted, and the answer is 50 kB that inflate to 50 MB.
 * - `garbage`, `empty`, `html`: 500 with bytes that are no JSON, 500 without a body, 502 with a proxy's HTML page.
 * - `goaway`: accepted, and the connection is closed in an orderly way: GOAWAY (`twice`: first with the last stream ID
 *   2^31-1, then with the real one, as RFC 9113 6.8 has it), or `Connection: close` over HTTP/1.1.
 * - `alternate`: the answers in turn, again and again, for each token on its own.
 */
export type TestAnswer =
  | OneAnswer
  | { readonly kind: 'alternate'; readonly answers: readonly [OneAnswer, ...OneAnswer[]] };

export type OneAnswer = Exclude<SandboxAnswer, OwnAnswer> | Broken;

type Broken =
  | { readonly kind: 'hang_up' | 'cut' | 'endless' | 'bomb' | 'garbage' | 'empty' | 'html' }
  | { readonly kind: 'drip'; readonly everyMs: number }
  | { readonly kind: 'keep'; readonly forS: number }
  | { readonly kind: 'goaway'; readonly twice: boolean };

const ACCEPTED: readonly Broken['kind'][] = ['cut', 'keep', 'drip', 'endless', 'bomb', 'goaway'];

/** Answers like the sandbox. */
export function carriedOut(answer: OneAnswer): SandboxAnswer {
  switch (answer.kind) {
    case 'accept':
    case 'refuse':
    case 'reset':
    case 'silent':
      return answer;
    default:
      return {
        kind: 'own',
        name: answer.kind,
        isAccepted: ACCEPTED.includes(answer.kind),
        overHttp1: (response, success) => overHttp1(answer, response, success),
        overHttp2: (stream, apnsId) => overHttp2(answer, stream, apnsId),
      };
  }
}

const HTML =
  '<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title><p><b>502.</b> <ins>That’s an error.</ins>';
/** A body for what takes one to be shown, where a success has none. */
const BLANKS = ' '.repeat(10);
const BOMB_BYTES = 50_000_000;
const HIGHEST_STREAM_ID = 2 ** 31 - 1;

function overHttp1(answer: Broken, response: ServerResponse, success: FakeResponse): void {
  const { status, headers } = success;
  const body = success.body === '' ? BLANKS : success.body;
  const whole = { ...headers, 'content-length': Buffer.byteLength(body) };
  const hangUp = () => response.socket?.destroy();
  switch (answer.kind) {
    case 'hang_up':
      hangUp();
      break;
    case 'cut':
      response.writeHead(status, whole).write(body.slice(0, body.length / 2), hangUp);
      break;
    case 'drip':
      drip(response.writeHead(status, whole), body, answer.everyMs);
      break;
    case 'keep':
      send(response, { ...success, headers: { ...headers, ttl: String(answer.forS) } });
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

/** A success has no body at APNs, so spaces must do. */
function overHttp2(answer: Broken, stream: ServerHttp2Stream, apnsId: string): void {
  const respond = (status: number, headers: Readonly<Record<string, string>> = {}) =>
    stream.respond({ ':status': status, 'apns-id': apnsId, ...headers });
  const json = { 'content-type': 'application/json' };
  switch (answer.kind) {
    case 'hang_up':
      stream.session?.destroy();
      break;
    case 'cut':
      respond(200);
      stream.write(' ', () => stream.session?.destroy());
      break;
    case 'drip':
      respond(200);
      drip(stream, BLANKS, answer.everyMs);
      break;
    case 'keep':
      respond(200);
      stream.end();
      break;
    case 'endless':
      respond(200);
      writeForEver(stream);
      break;
    case 'bomb':
      respond(200, { ...json, 'content-encoding': 'gzip' });
      stream.end(bombOf('{}'));
      break;
    case 'garbage':
      respond(500, json);
      stream.end(Buffer.from('7b22ff00fe80', 'hex'));
      break;
    case 'empty':
      respond(500, json);
      stream.end();
      break;
    case 'html':
      respond(502, { 'content-type': 'text/html' });
      stream.end('<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>');
      break;
    case 'goaway':
      goAway(stream, apnsId, answer.twice);
      break;
    default:
      unreachable(answer);
  }
}

/** The connection says goodbye first, then answers what is in flight, and closes. */
function goAway(stream: ServerHttp2Stream, apnsId: string, twice: boolean): void {
  const { session } = stream;
  const acceptStill = () => {
    if (!stream.destroyed) stream.respond({ ':status': 200, 'apns-id': apnsId }, { endStream: true });
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

function drip(stream: Writable, body: string, everyMs: number): void {
  const bytes = Buffer.from(body);
  let sent = 0;
  const timer = setInterval(() => {
    stream.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent === bytes.length) stream.end();
  }, everyMs);
  stream.on('close', () => clearInterval(timer));
}

/** To deflate them takes most of a second. */
let blanks: Buffer | undefined;

/** A short JSON text that inflates to a long one: what follows it is blank. */
function bombOf(json: string): Buffer {
  blanks ??= gzipSync(Buffer.alloc(BOMB_BYTES, ' '));
  return Buffer.concat([gzipSync(json), blanks]);
}

/** Writes blanks for as long as the client takes them. */
function writeForEver(stream: Writable): void {
  const blanks = Buffer.alloc(65_536, ' ');
  const go = (): void => {
    while (!stream.destroyed && stream.write(blanks));
  };
  stream.on('drain', go);
  go();
}
