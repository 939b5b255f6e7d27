import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import WebSocket from 'ws';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import { decryptPush, type Receiver } from '../../src/sandbox/webpush/subscriptions.ts';
import { until } from './until.ts';

type Message = Readonly<Record<string, unknown>>;

/** Plays Firefox's part towards its push service, without a window. */
export class FirefoxClient {
  /** The service's name for this browser. */
  uaid = '';
  readonly heard: Message[] = [];
  readonly #url: string;
  readonly #receivers = new Map<string, Receiver>();
  #socket: WebSocket | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** With the name that it was given before. */
  async connect(): Promise<void> {
    const socket = new WebSocket(this.#url, 'push-notification');
    this.#socket = socket;
    socket.on('message', (data) => this.heard.push(JSON.parse(data.toString())));
    await once(socket, 'open');
    const { uaid } = await this.ask({ messageType: 'hello', uaid: this.uaid, use_webpush: true });
    this.uaid = String(uaid);
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket === null || socket.readyState === WebSocket.CLOSED) return;
    socket.terminate();
    await once(socket, 'close');
  }

  /** Waits until the service has ended the connection. */
  async closed(): Promise<void> {
    await until('the connection is closed', () => this.#socket?.readyState === WebSocket.CLOSED);
  }

  async subscribe(vapidKey?: string): Promise<BrowserSubscription & { readonly channelID: string }> {
    const channelID = randomUUID();
    const { pushEndpoint } = await this.ask({ messageType: 'register', channelID, key: vapidKey });
    const receiver = { ecdh: createECDH('prime256v1'), auth: randomBytes(16) };
    const p256dh = receiver.ecdh.generateKeys('base64url');
    this.#receivers.set(channelID, receiver);
    const keys = { p256dh, auth: receiver.auth.toString('base64url') };
    return { endpoint: String(pushEndpoint), keys, channelID };
  }

  async unsubscribe(channelID: string): Promise<void> {
    await this.ask({ messageType: 'unregister', channelID, code: 200 });
  }

  /** The pushes that came, decrypted, in their order. */
  get pushes(): unknown[] {
    return this.#notifications.map(({ channelID, data }) => {
      const receiver = this.#receivers.get(String(channelID));
      const text = receiver && decryptPush(Buffer.from(String(data), 'base64url'), receiver);
      return text && JSON.parse(text.toString());
    });
  }

  /** Says of all that came that it is there. */
  acknowledge(): void {
    const updates = this.#notifications.map(({ channelID, version }) => ({ channelID, version, code: 100 }));
    this.say({ messageType: 'ack', updates });
  }

  say(message: Message): void {
    this.#socket?.send(JSON.stringify(message));
  }

  /** Waits for the answer, which is of the question's type. */
  async ask(message: Message): Promise<Message> {
    const before = this.heard.length;
    this.say(message);
    const answer = () => this.heard.slice(before).find(({ messageType }) => messageType === message.messageType);
    await until(`an answer to ${message.messageType ?? 'a ping'}`, () => answer() !== undefined);
    return answer() as Message;
  }

  get #notifications(): Message[] {
    return this.heard.filter(({ messageType }) => messageType === 'notification');
  }
}
