import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import { bytesField, type Fields, numberField, readFields, readVarint, varint } from '../../src/sandbox/webpush/gcm.ts';
import { decryptPush, type Receiver } from '../../src/sandbox/webpush/subscriptions.ts';
import type { Sandbox } from './sandbox/start.ts';
import { until } from './until.ts';

const VERSION = 41;
const HEARTBEAT_PING = 0;
const LOGIN_REQUEST = 2;
const DATA_MESSAGE_STANZA = 8;

interface Frame {
  readonly tag: number;
  readonly fields: Fields;
}

/** Plays Chromium's part towards Google, without a window. */
export class ChromiumClient {
  /** The number that the check-in gave it; 0 before. */
  androidId = 0n;
  readonly frames: Frame[] = [];
  readonly #sandbox: Sandbox;
  readonly #receivers = new Map<string, Receiver>();
  #socket: TLSSocket | null = null;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async checkIn(): Promise<void> {
    const answer = await this.#post('gcm-checkin-url', numberField(2, this.androidId));
    this.androidId = readFields(answer).get(7)?.[0] as bigint;
  }

  async subscribe(app: string, vapidKey: string): Promise<BrowserSubscription> {
    const token = await this.#register({ 'X-subtype': app, sender: vapidKey });
    const receiver = { ecdh: createECDH('prime256v1'), auth: randomBytes(16) };
    const keys = { p256dh: receiver.ecdh.generateKeys('base64url'), auth: receiver.auth.toString('base64url') };
    this.#receivers.set(app, receiver);
    return { endpoint: `https://fcm.googleapis.com/fcm/send/${token}`, keys };
  }

  async unsubscribe(app: string): Promise<void> {
    await this.#register({ 'X-subtype': app, delete: 'true' });
  }

  async connect(): Promise<void> {
    const { port } = new URL(this.#switch('gcm-mcs-endpoint'));
    const socket = connect({ port: Number(port), host: '127.0.0.1', ca: this.#sandbox.caPem });
    this.#socket = socket;
    let left = Buffer.alloc(0);
    let isGreeted = false;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      left = Buffer.concat([left, isGreeted ? chunk : chunk.subarray(1)]);
      isGreeted = true;
      left = this.#readFrames(left);
    });
    await once(socket, 'secureConnect');
    const login = Buffer.concat([
      bytesField(1, 'chrome-1'),
      bytesField(3, String(this.androidId)),
      ...this.#messages.map((fields) => bytesField(10, String(fields.get(9)?.[0]))),
    ]);
    // In pieces, as a network may deliver it.
    for (const byte of Buffer.concat([Buffer.of(VERSION), frame(LOGIN_REQUEST, login)])) socket.write(Buffer.of(byte));
    await until('the login is answered', () => this.frames.some(({ tag }) => tag === 3));
  }

  ping(): void {
    this.#socket?.write(frame(HEARTBEAT_PING, Buffer.alloc(0)));
  }

  /** Reads nothing more of what is on its connection. */
  pause(): void {
    this.#socket?.pause();
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    if (this.#socket !== null && !this.#socket.closed) await once(this.#socket, 'close');
  }

  /** The pushes that came, decrypted, in their order. */
  get pushes(): unknown[] {
    return this.#messages.map((fields) => {
      const data = (fields.get(7) ?? []).map((pair) => readFields(pair as Buffer));
      const app = data.find((pair) => String(pair.get(1)) === 'subtype')?.get(2);
      const receiver = this.#receivers.get(String(app));
      const text = receiver && decryptPush(fields.get(21)?.[0] as Buffer, receiver);
      return text ? JSON.parse(text.toString()) : null;
    });
  }

  get #messages(): readonly Fields[] {
    return this.frames.flatMap(({ tag, fields }) => (tag === DATA_MESSAGE_STANZA ? [fields] : []));
  }

  async #register(fields: Record<string, string>): Promise<string> {
    const form = new URLSearchParams({ app: 'org.chromium.linux', device: String(this.androidId), ...fields });
    const answer = await this.#post('gcm-registration-url', form.toString());
    return answer.toString().replace(/^token=/, '');
  }

  async #post(name: string, body: Buffer | string): Promise<Buffer> {
    const request = https.request(this.#switch(name), { method: 'POST', ca: this.#sandbox.caPem, agent: false });
    request.end(body);
    const [response] = await once(request, 'response');
    return await buffer(response);
  }

  #switch(name: string): string {
    const found = this.#sandbox.webpush.chromium.switches.find((argument) => argument.startsWith(`--${name}=`));
    return found?.slice(name.length + 3) ?? '';
  }

  #readFrames(bytes: Buffer): Buffer<ArrayBuffer> {
    const length = readVarint(bytes, 1);
    const end = length === null ? Number.POSITIVE_INFINITY : length.end + Number(length.value);
    if (length === null || end > bytes.length) return Buffer.from(bytes);
    this.frames.push({ tag: bytes[0] ?? 0, fields: readFields(bytes.subarray(length.end, end)) });
    return this.#readFrames(bytes.subarray(end));
  }
}

function frame(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), varint(body.length), body]);
}
