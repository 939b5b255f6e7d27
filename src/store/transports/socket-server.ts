import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { OperatorProblem } from '../../process/problem.ts';
import { isJsonObject } from '../../values/json.ts';
import { CALLS, type CallName, isRefusal, type Refusal, type StoreClient } from '../calls.ts';
import { failureReply, type Reply } from '../reply.ts';
import { OVERLOADED } from './long-reads.ts';
import { type CallFrame, type FrameMemory, isCallFrame, isHello, onFrames, sendFrame } from './socket-frames.ts';

/** The longest `sun_path` (unix(7)) without the final zero. */
const MAX_PATH_BYTES = 107;
/** Reading clients need no more at a time. */
const MOST_READERS = 64;

export interface SocketOptions extends ConnectionOptions {
  readonly path: string;
}

/** Lets the same user's command line tool call the store. Socket mode 0600; 0660 for `readers`. */
export async function serveSocket(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const connections = new Set<Socket>();
  let lastNumber = 0;
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    lastNumber += 1;
    new Connection(socket, options, lastNumber).serve();
  });
  if (options.readers) server.maxConnections = MOST_READERS;
  await listen(server, options.path, options.readers ? 0o660 : 0o600);
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Node removes the socket file on close, and silently cuts long paths. */
async function listen(server: Server, path: string, mode: number): Promise<void> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new OperatorProblem(
      `the socket ${path} has a path of more than ${MAX_PATH_BYTES} bytes, which the system does not allow.`,
      1,
      { advice: 'Choose a data_dir with a shorter path.' },
    );
  }
  rmSync(path, { force: true });
  try {
    server.listen(path);
    await once(server, 'listening');
    chmodSync(path, mode);
  } catch (error) {
    server.close();
    throw new OperatorProblem(`cannot listen on the socket ${path}: ${(error as Error).message}.`);
  }
}

interface ConnectionOptions {
  /** Must own the data folder: a socket file there is a dead server's, and is replaced. */
  readonly store: StoreClient;
  readonly version: string;
  /** Calls answered by items, by name. */
  readonly streams?: Readonly<Record<string, OpenStream>>;
  /** Called with a call's unexpected error: its caller gets no stack. */
  readonly onError?: (call: string, error: Error) => void;
  /** Members of this process's group may call only these reads. */
  readonly readers?: Readers;
}

export interface Readers {
  /** Calls pick their arguments, or refuse them. */
  readonly calls: Readonly<Record<string, (args: JsonObject) => { readonly args: unknown } | Refusal>>;
  /** A connection on which nothing moves for so long ends. */
  readonly idleMs: number;
  /** The named connection's memory. `giveWay` is called if others need it. Throws if there is none. */
  hold(name: string, giveWay: () => void): FrameMemory & { release(): void };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Reading clients need no larger call. */
const READERS_FRAME_LENGTH = 64 * 1024;

/** Takes an item, or returns false: the other side reads too slowly, and the item is lost. */
export type Emit = (item: unknown) => boolean;

/** Answers by items until the peer hangs up. Returns how to end it, or a refusal. */
export type OpenStream = (args: unknown, emit: Emit) => Promise<(() => void) | Refusal>;

/** Most bytes buffered for a slow reader. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Answers one call at a time, and none beside an open stream. */
class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  /** Orders turns among readers. */
  readonly #name: string;
  #memory: FrameMemory | undefined;
  #call = new AbortController();
  #isGreeted = false;
  #isStreaming = false;

  constructor(socket: Socket, options: ConnectionOptions, number: number) {
    this.#socket = socket;
    this.#options = options;
    this.#name = `reader ${number}`;
  }

  serve(): void {
    const socket = this.#socket;
    const { readers, version } = this.#options;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#call.abort());
    if (readers) socket.setTimeout(readers.idleMs, () => socket.destroy());
    try {
      const held = readers?.hold(this.#name, () => socket.destroy());
      socket.once('close', () => held?.release());
      this.#memory = held;
    } catch {
      socket.destroy();
      return;
    }
    void this.#send({ hello: { version } });
    const maxLength = readers && READERS_FRAME_LENGTH;
    onFrames(socket, (frame) => this.#receive(frame), { maxLength, memory: this.#memory });
  }

  async #receive(frame: unknown): Promise<void> {
    if (!this.#isGreeted) {
      // The peer has our version now, and says what to do about it.
      this.#isGreeted = isHello(frame) && frame.hello.version === this.#options.version;
      if (!this.#isGreeted) this.#socket.end();
    } else if (this.#isStreaming || !isCallFrame(frame)) {
      this.#socket.destroy();
    } else {
      const taken = this.#taken(frame);
      if (isRefusal(taken)) await this.#reply(frame, { kind: 'answer', answer: taken });
      else await this.#carryOut({ ...frame, ...taken });
    }
  }

  #taken({ call, args }: CallFrame): { readonly args: unknown } | Refusal {
    const { streams = {}, readers } = this.#options;
    if (readers && !Object.hasOwn(readers.calls, call)) return onlyReads(call, readers);
    if (!Object.hasOwn(streams, call) && !isOpenCall(call)) {
      return { refused: 'invalid', message: `${call} cannot be called over the socket.` };
    }
    if (!isJsonObject(args)) return { refused: 'invalid', message: `The arguments of ${call} must be a JSON object.` };
    return readers?.calls[call]?.(args) ?? { args };
  }

  async #carryOut(frame: CallFrame): Promise<void> {
    const { streams = {} } = this.#options;
    if (Object.hasOwn(streams, frame.call)) await this.#openStream(frame, streams[frame.call] as OpenStream);
    else await this.#reply(frame, await this.#ask(frame));
  }

  async #ask({ call, args, actor }: CallFrame): Promise<Reply> {
    this.#call = new AbortController();
    if (this.#socket.destroyed) this.#call.abort();
    const { store, readers } = this.#options;
    const reader = readers && { groups: ['readers', this.#name], signal: this.#call.signal };
    try {
      const answer: unknown = await store[call as CallName](args as never, readers ? undefined : actor, reader);
      return { kind: 'answer', answer };
    } catch (error) {
      return this.#failure(call, error);
    }
  }

  async #openStream({ id, call, args }: CallFrame, open: OpenStream): Promise<void> {
    const emit: Emit = (item) => {
      if (this.#socket.writableLength > MAX_UNREAD_BYTES) return false;
      void this.#send({ id, item });
      return true;
    };
    const stop = await open(args, emit).catch((error: unknown) => this.#failure(call, error));
    if ('kind' in stop) await this.#reply({ id }, stop);
    else if (isRefusal(stop)) await this.#reply({ id }, { kind: 'answer', answer: stop });
    else if (this.#socket.destroyed) stop();
    else {
      this.#isStreaming = true;
      this.#socket.once('close', stop);
    }
  }

  #failure(call: string, error: unknown): Reply {
    const reply = failureReply(call, error);
    if (reply.kind === 'bug') this.#options.onError?.(call, error as Error);
    return reply;
  }

  async #reply({ id }: Pick<CallFrame, 'id'>, reply: Reply): Promise<void> {
    await this.#send({ id, reply });
  }

  /** Ends the connection if there is no memory. */
  async #send(frame: Parameters<typeof sendFrame>[1]): Promise<void> {
    try {
      await sendFrame(this.#socket, frame, this.#memory);
    } catch {
      if ('reply' in frame) await sendFrame(this.#socket, { ...frame, reply: OVERLOADED });
      this.#socket.destroy();
    }
  }
}

function onlyReads(call: string, { calls }: Readers): Refusal {
  const names = Object.keys(calls).join(', ');
  const message = `${call} is not answered on this socket, which is for reading alone: ${names}.`;
  return { refused: 'forbidden', message, hint: 'Put sudo before the command.' };
}

function isOpenCall(call: string): call is CallName {
  return Object.hasOwn(CALLS, call) && !CALLS[call as CallName].internal;
}
