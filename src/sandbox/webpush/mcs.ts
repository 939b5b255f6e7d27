import { createServer, type TLSSocket } from 'node:tls';
import type { SandboxContext } from '../fake.ts';
import type { Listener } from '../listener.ts';
import type { BrowserConnection, Browsers } from './browsers.ts';
import { bytesField, numberField, readFields, readVarint, varint } from './protobuf.ts';
import type { TakenPush } from './subscriptions.ts';

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
export function stanzaOf({ id, body, ttlS }: TakenPush, app: string, sender: string, sentMs: number): Buffer {
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
