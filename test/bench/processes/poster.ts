import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { sharedMs } from './handlers.ts';

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly channel: string;
  readonly urgency?: 'time_sensitive';
}

export interface Posted {
  readonly tookMs: number;
  readonly body: string;
}

/** The end of the body is the idempotency key, which is padded to one length, and what closes the JSON. */
const PADDING = 24;
const BODY_END = '"}';
const BODY_START = /\r\n\r\n/;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * One connection that posts one event at a time. Much leaner than `node:http`, so that it does not limit what it
 * measures.
 */
export class Poster {
  readonly #socket: Socket;
  readonly #head: string;
  readonly #bodyStart: string;
  #received = '';
  #startMs = 0;
  #settle: { resolve: (posted: Posted) => void; reject: (error: Error) => void } | null = null;

  static async connect(target: Target): Promise<Poster> {
    const { hostname, port } = new URL(target.url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Poster(socket, target);
  }

  private constructor(socket: Socket, target: Target) {
    const { url, apiKey, channel, urgency } = target;
    const body = JSON.stringify({
      channel,
      title: 'Disk nearly full on db-1',
      description: 'The volume /var/lib/postgresql is 91 % full and grows by 2 % an hour.',
      level: 'warning',
      event_type: 'disk.full',
      ...(urgency && { delivery_urgency: urgency }),
      idempotency_key: '',
    });
    this.#bodyStart = body.slice(0, -BODY_END.length);
    this.#head = [
      'POST /api/v1/events HTTP/1.1',
      `Host: ${new URL(url).host}`,
      `Authorization: Bearer ${apiKey}`,
      'Accept: application/json',
      'Content-Type: application/json',
      `Content-Length: ${body.length + PADDING}`,
      '\r\n',
    ].join('\r\n');
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server hung up')));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Rejects for every answer but that of an event that was taken. */
  post(uniqueKey: string): Promise<Posted> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) reject(new Error('the server hung up before'));
      this.#settle = { resolve, reject };
      this.#startMs = sharedMs();
      this.#socket.write(`${this.#head}${this.#bodyStart}${uniqueKey.padStart(PADDING, '0')}${BODY_END}`, 'latin1');
    });
  }

  close(): void {
    this.#settle = null;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const start = this.#received.search(BODY_START) + 4;
    if (start < 4) return;
    const length = Number(CONTENT_LENGTH.exec(this.#received)?.[1]);
    if (this.#received.length < start + length) return;
    const answer = this.#received;
    this.#received = '';
    if (answer.startsWith('HTTP/1.1 202 ')) {
      this.#settle?.resolve({ tookMs: sharedMs() - this.#startMs, body: answer.slice(start) });
    } else {
      this.#fail(new Error(`answered ${answer}`));
    }
  }

  #fail(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = null;
  }
}
