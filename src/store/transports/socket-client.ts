import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { OperatorProblem } from '../../process/problem.ts';
import { type Actor, type CallName, type Refusal, SERVER_ENDED, type StoreClient } from '../calls.ts';
import { clientOver } from '../client.ts';
import { type CallRequest, type Reply, type Transport, unpack } from '../reply.ts';
import { isHello, isItemFrame, isReplyFrame, onFrames, sendFrame } from './socket-frames.ts';

/** Busy servers answer late, hanging ones never. */
const HELLO_TIMEOUT_MS = 10_000;

interface ConnectOptions {
  readonly path: string;
  readonly version: string;
  /** Returns the author for the audit log. */
  readonly actor?: () => Actor;
}

/** Connects to the running server; null: none listens. Rejects with `OperatorProblem` if it must not be used. */
export async function connectSocket({ actor, ...options }: ConnectOptions): Promise<StoreClient | null> {
  const line = await openLine(options);
  return line && clientOver(line, actor);
}

interface StreamOptions extends ConnectOptions {
  readonly call: string;
  readonly args: unknown;
  readonly onItem: (item: unknown) => void;
}
interface ItemStream {
  /** Resolves when nothing more comes: with the refusal, or null if the server ended or `close` was called. */
  readonly ended: Promise<Refusal | null>;
  close(): Promise<void>;
}

/** Streams the running server's items; null: none listens. Rejects like `connectSocket`. */
export async function openItemStream({ call, args, onItem, ...options }: StreamOptions): Promise<ItemStream | null> {
  const line = await openLine(options);
  return line && { ended: line.stream(call, args, onItem), close: () => line.close() };
}

/** Returns the server's first item; null: none listens, or it ended. Rejects like `connectSocket`. */
export async function askForItem(options: ConnectOptions & { readonly call: string }): Promise<unknown> {
  const first = Promise.withResolvers<unknown>();
  const stream = await openItemStream({ ...options, args: {}, onItem: first.resolve });
  if (stream === null) return null;
  stream.ended.then(() => first.resolve(null), first.reject);
  const item = await first.promise;
  await stream.close();
  return item;
}

/** Whether a server is behind the socket. */
export async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return noServer(path, error) !== null;
  } finally {
    socket.destroy();
  }
}

async function openLine({ path, version }: ConnectOptions): Promise<SocketLine | null> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    return noServer(path, error);
  }
  void sendFrame(socket, { hello: { version } });
  const line = new SocketLine(socket);
  const theirs = await line.hello(path);
  if (theirs !== version) {
    socket.destroy();
    throw new OperatorProblem(`the running server is pushctl ${theirs}, but this command is pushctl ${version}.`, 1, {
      advice: 'Restart the server, or use the command of the same version.',
    });
  }
  return line;
}

function noServer(path: string, error: unknown): null {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return null;
    case 'EACCES':
    case 'EPERM':
      throw new OperatorProblem(`the socket ${path} belongs to another user.`, 1, {
        advice: `Run this as the server's user or as root.`,
      });
    default:
      throw new OperatorProblem(`cannot reach the server at ${path}: ${(error as Error).message}.`);
  }
}

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

class SocketLine implements Transport {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed: Promise<void>;
  readonly #greeting = Promise.withResolvers<string | null>();
  #lastId = 0;
  #onItem: (item: unknown) => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#broken());
    onFrames(socket, (frame) => this.#receive(frame));
  }

  /** Returns the peer's version. */
  async hello(path: string): Promise<string> {
    const timer = setTimeout(() => this.#socket.destroy(), HELLO_TIMEOUT_MS);
    const version = await this.#greeting.promise;
    clearTimeout(timer);
    if (version !== null) return version;
    throw new OperatorProblem(`the server at ${path} does not answer.`, 1, {
      advice: 'Check its log, or restart it.',
    });
  }

  ask({ name: call, ...rest }: CallRequest): Promise<Reply> {
    if (!this.#socket.writable) return Promise.reject(hungUp());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      void sendFrame(this.#socket, { id, call, ...rest });
    });
  }

  async stream(call: string, args: unknown, onItem: (item: unknown) => void): Promise<Refusal | null> {
    this.#onItem = onItem;
    const reply = this.ask({ name: call as CallName, args });
    return reply.then(
      (refused) => unpack(refused) as Refusal,
      () => null,
    );
  }

  async close(): Promise<void> {
    this.#socket.end();
    await this.#closed;
  }

  #receive(frame: unknown): void {
    if (isHello(frame)) {
      this.#greeting.resolve(frame.hello.version);
    } else if (isItemFrame(frame)) {
      this.#onItem(frame.item);
    } else if (isReplyFrame(frame)) {
      this.#waiting.get(frame.id)?.resolve(frame.reply);
      this.#waiting.delete(frame.id);
    }
  }

  #broken(): void {
    this.#greeting.resolve(null);
    for (const { reject } of this.#waiting.values()) reject(hungUp());
    this.#waiting.clear();
  }
}

function hungUp(): OperatorProblem {
  return new OperatorProblem('the server stopped before it answered, so this may or may not have been done.', 1, {
    code: SERVER_ENDED,
    advice: 'Check with a list command, then try again.',
  });
}
