import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type TLSSocket } from 'node:tls';
import type { SandboxContext } from '../fake.ts';
import { send, startHttps } from '../https.ts';
import type { Listener } from '../listener.ts';
import type { BrowserConnection, Browsers } from './browsers.ts';
import type { TakenPush } from './subscriptions.ts';

const CHECK_IN_ID = 2;
const SECURITY_TOKEN = 1n;

/**
 * Serves Chromium's requests to Google before pushes: check-in (`POST /checkin`, Chromium's
 * google_apis/gcm/protocol/checkin.proto), which assigns a number, and subscriptions' registration (`POST /register`, a
 * form).
 */
export function startGcm(browsers: Browsers<Buffer>, context: SandboxContext): Promise<Listener> {
  function serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    if (request.url === '/checkin') checkIn(response, body);
    else if (request.url === '/register') send(response, plain(200, register(new URLSearchParams(body.toString()))));
    else send(response, plain(404, 'Not Found'));
  }

  function checkIn(response: ServerResponse, body: Buffer): void {
    const [given] = readFields(body).get(CHECK_IN_ID) ?? [];
    const id = browsers.meet(typeof given === 'bigint' ? String(given) : undefined);
    const fields = [
      numberField(1, 1), // stats_ok
      numberField(3, Math.round(context.wallMs())), // time_msec
      fixed64Field(7, BigInt(id)), // android_id
      fixed64Field(8, SECURITY_TOKEN),
    ];
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(Buffer.concat(fields));
  }

  /** `X-subtype`: the web app; `sender`: its VAPID key; `device`: the check-in's number. */
  function register(form: URLSearchParams): string {
    const app = form.get('X-subtype') ?? '';
    const device = form.get('device') ?? '';
    const sender = form.get('sender') ?? '';
    if (form.get('delete') === 'true') {
      browsers.unsubscribe(device, app);
      return `token=${app}`;
    }
    const messageOf = (push: Parameters<typeof stanzaOf>[0]) => stanzaOf(push, app, sender, context.wallMs());
    return `token=${browsers.subscribe(device, app, sender, messageOf)}`;
  }

  return startHttps('gcm', context, serve);
}

function plain(status: number, body: string) {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

/** Numbers of MCS messages, in Chromium's google_apis/gcm/protocol/mcs.proto. */
const HEARTBEAT_PING = 0;
const HEARTBEAT_ACK = 1;
const LOGIN_REQUEST = 2;
const LOGIN_RESPONSE = 3;
const IQ_STANZA = 7;
const DATA_MESSAGE_STANZA = 8;
const VERSION = 41;
const LOGIN_USER = 3;
/** Ids of pushes from earlier connections. */
const LOGIN_RECEIVED = 10;
/** The field with the connection's received count, by message number. */
const RECEIVED: Readonly<Record<number, number>> = { [HEARTBEAT_PING]: 2, [IQ_STANZA]: 10 };

interface Frame {
  readonly tag: number;
  readonly body: Buffer;
  /** The bytes behind it. */
  readonly rest: Buffer;
}

/** Serves Chromium's push connection: MCS, Protocol Buffers over TLS. */
export function startMcs(browsers: Browsers<Buffer>, context: SandboxContext): Promise<Listener> {
  const server = createServer(context.tls, (socket) => talk(socket, browsers, context.wallMs));
  server.on('tlsClientError', () => {});
  return context.listen('mcs', (socket) => server.emit('connection', socket));
}

/** Returns a push for MCS; `app` and `sender`: from the registration. */
function stanzaOf({ id, body, ttlS }: TakenPush, app: string, sender: string, sentMs: number): Buffer {
  return frameOf(DATA_MESSAGE_STANZA, [
    bytesField(3, sender), // from
    bytesField(5, 'org.chromium.linux'), // category
    bytesField(7, Buffer.concat([bytesField(1, 'subtype'), bytesField(2, app)])), // app_data
    bytesField(7, Buffer.concat([bytesField(1, 'content-encoding'), bytesField(2, 'aes128gcm')])),
    bytesField(9, id), // persistent_id
    numberField(17, ttlS),
    numberField(18, sentMs),
    bytesField(21, body), // raw_data
  ]);
}

/**
 * Serves a browser's connection. Written data may be lost: Chromium reconnects at network changes, and its next login
 * lists what it has (google_apis/gcm/engine/mcs_client.cc).
 */
function talk(socket: TLSSocket, browsers: Browsers<Buffer>, wallMs: () => number): void {
  let name = '';
  /** Sent, unconfirmed messages: a push's id, else null. */
  const unconfirmed: (string | null)[] = [];
  let confirmed = 0;
  const send = (message: Buffer, id: string | null) => {
    unconfirmed.push(id);
    socket.write(message);
  };
  const confirm = (ids: readonly (string | null)[]) => {
    for (const id of ids) if (id !== null) browsers.confirm(name, id);
  };
  const connection: BrowserConnection<Buffer> = { send, close: () => socket.destroy() };
  socket.on('error', () => {});
  socket.on('close', () => browsers.closed(name, connection));
  readFrames(socket, ({ tag, body }) => {
    const request = readFields(body);
    const received = Number(request.get(RECEIVED[tag] ?? 0)?.[0] ?? 0);
    const newlyReceived = unconfirmed.splice(0, Math.max(0, received - confirmed));
    confirmed += newlyReceived.length;
    confirm(newlyReceived);
    if (tag === HEARTBEAT_PING) send(frameOf(HEARTBEAT_ACK, []), null);
    if (tag !== LOGIN_REQUEST) return;
    name = String(request.get(LOGIN_USER)?.[0] ?? '');
    confirm((request.get(LOGIN_RECEIVED) ?? []).map(String));
    const fields = [bytesField(1, 'chrome'), numberField(5, 1), numberField(6, 1), numberField(8, wallMs())];
    send(Buffer.concat([Buffer.of(VERSION), frameOf(LOGIN_RESPONSE, fields)]), null);
    browsers.connect(name, connection);
  });
}

/** The connection's first byte is the version. */
function readFrames(socket: TLSSocket, onFrame: (frame: Frame) => void): void {
  let left = Buffer.alloc(0);
  let hasVersion = false;
  socket.on('data', (chunk: Buffer) => {
    left = Buffer.concat([left, hasVersion ? chunk : chunk.subarray(1)]);
    hasVersion = true;
    for (let frame = readFrame(left); frame !== null; frame = readFrame(left)) {
      left = Buffer.from(frame.rest);
      onFrame(frame);
    }
  });
}

/** null: it is not whole yet. */
function readFrame(bytes: Buffer): Frame | null {
  const length = readVarint(bytes, 1);
  if (length === null) return null;
  const end = length.end + Number(length.value);
  if (end > bytes.length) return null;
  return { tag: bytes[0] ?? 0, body: bytes.subarray(length.end, end), rest: bytes.subarray(end) };
}

function frameOf(tag: number, fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields);
  return Buffer.concat([Buffer.of(tag), varint(body.length), body]);
}

/** Protocol Buffers for Chromium's protocols (https://protobuf.dev/programming-guides/encoding/). */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  do {
    const low = Number(left & 127n);
    left >>= 7n;
    bytes.push(left > 0n ? low | 128 : low);
  } while (left > 0n);
  return Buffer.from(bytes);
}

export function numberField(field: number, value: number | bigint): Buffer {
  return Buffer.concat([tag(field, VARINT), varint(value)]);
}

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([tag(field, FIXED64), bytes]);
}

export function bytesField(field: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([tag(field, BYTES), varint(bytes.length), bytes]);
}

export type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** Returns each field's values, until invalid bytes. */
export function readFields(message: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  while (at < message.length) {
    const head = readVarint(message, at);
    if (head === null) return fields;
    const read = readValue(message, head.end, Number(head.value & 7n));
    if (read === null || read.end > message.length) return fields;
    const field = Number(head.value >> 3n);
    fields.set(field, [...(fields.get(field) ?? []), read.value]);
    at = read.end;
  }
  return fields;
}

/** `end`: the next byte. null: incomplete, or above 64 bits. */
export function readVarint(bytes: Buffer, start: number): { readonly value: bigint; readonly end: number } | null {
  let value = 0n;
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * (at - start));
    if (byte < 128) return { value, end: at + 1 };
  }
  return null;
}

function readValue(bytes: Buffer, at: number, wireType: number): { value: Buffer | bigint; end: number } | null {
  if (wireType === VARINT) return readVarint(bytes, at);
  if (wireType === FIXED64 && at + 8 <= bytes.length) return { value: bytes.readBigUInt64LE(at), end: at + 8 };
  if (wireType === FIXED32 && at + 4 <= bytes.length) return { value: BigInt(bytes.readUInt32LE(at)), end: at + 4 };
  const length = wireType === BYTES ? readVarint(bytes, at) : null;
  if (length === null) return null;
  const end = length.end + Number(length.value);
  return { value: bytes.subarray(length.end, end), end };
}

function tag(field: number, wireType: number): Buffer {
  return varint((field << 3) | wireType);
}
