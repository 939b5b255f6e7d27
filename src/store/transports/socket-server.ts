import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { OperatorProblem } from '../../process/problem.ts';
import { type Actor, CALLS, type CallName, isRefusal, type Refusal, type StoreClient } from '../calls.ts';
import { failureReply, type Reply } from '../reply.ts';
import { type CallFrame, isCallFrame, isHello, onFrames, sendFrame } from './socket-frames.ts';

/** The longest path that fits into `sun_path` (unix(7)) before its final zero. */
const MAX_PATH_BYTES = 107;

export interface SocketOptions {
  readonly path: string;
  /** Must own the data folder: then a socket file found there is a dead server's, and is replaced. */
  readonly store: StoreClient;
  readonly version: string;
  /** Calls that are answered by items, by their names. */
  readonly streams?: Readonly<Record<string, OpenStream>>;
  /** The members of this process's group may call as well, and only these. */
  readonly readable?: ReadonlySet<string>;
}

/** A client that only reads needs no larger call, nor more connections at a time. */
const READERS = { frameLength: 64 * 1024, connections: 64 };

/** Takes an item, or answers false: the other side reads too slowly, and the item is lost. */
export type Emit = (item: unknown) => boolean;

/** A call that is answered by items, until the other side hangs up. Returns how to end it, or a refusal. */
export type OpenStream = (args: unknown, emit: Emit) => Promise<(() => void) | Refusal>;

/** The most that is buffered for a slow reader. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Lets the command line tool of the same user call the store. The socket file's mode is 0600; 0660 where only what is
 * `readable` is answered.
 */
export async function serveSocket(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    serveConnection(socket, options);
  });
  if (options.readable) server.maxConnections = READERS.connections;
  await listen(server, options.path, options.readable ? 0o660 : 0o600);
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Node removes the socket file itself when the server closes. A path that is too long it would cut in silence. */
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

function serveConnection(socket: Socket, { store, version, streams = {}, readable }: SocketOptions): void {
  let isGreeted = false;
  let isStreaming = false;
  socket.on('error', () => socket.destroy());
  void sendFrame(socket, { hello: { version } });
  const receive = async (frame: unknown): Promise<void> => {
    if (!isGreeted) {
      // The other side has our version by now and says what is to be done about it.
      isGreeted = isHello(frame) && frame.hello.version === version;
      if (!isGreeted) socket.end();
    } else if (isStreaming) {
      socket.destroy();
    } else if (isCallFrame(frame) && readable && !readable.has(frame.call)) {
      await sendFrame(socket, { id: frame.id, reply: { kind: 'answer', answer: onlyReads(frame.call, readable) } });
    } else if (isCallFrame(frame) && Object.hasOwn(streams, frame.call)) {
      isStreaming = await serveStream(socket, frame, streams[frame.call] as OpenStream);
    } else if (isCallFrame(frame)) {
      await sendFrame(socket, { id: frame.id, reply: await replyTo(frame, store) });
    } else {
      socket.destroy();
    }
  };
  onFrames(socket, receive, readable && READERS.frameLength);
}

function onlyReads(call: string, readable: ReadonlySet<string>): Refusal {
  const message = `${call} is not answered on this socket, which is for reading alone: ${[...readable].join(', ')}.`;
  return { refused: 'forbidden', message, hint: 'Put sudo before the command.' };
}

async function replyTo({ call, args, actor }: CallFrame, store: StoreClient): Promise<Reply> {
  if (!isOpenCall(call)) return { kind: 'bug', message: `${call} cannot be called over the socket` };
  try {
    const ask = store[call] as (args: unknown, actor?: Actor) => Promise<unknown>;
    return { kind: 'answer', answer: await ask(args, actor) };
  } catch (error) {
    return failureReply(error);
  }
}

function isOpenCall(call: string): call is CallName {
  return Object.hasOwn(CALLS, call) && !CALLS[call as CallName].internal;
}

/** Returns whether the stream is open: its connection takes no other call. */
async function serveStream(socket: Socket, { id, args }: CallFrame, open: OpenStream): Promise<boolean> {
  const emit: Emit = (item) => {
    if (socket.writableLength > MAX_UNREAD_BYTES) return false;
    void sendFrame(socket, { id, item });
    return true;
  };
  const stop = await open(args, emit).catch(failureReply);
  if ('kind' in stop) await sendFrame(socket, { id, reply: stop });
  else if (isRefusal(stop)) await sendFrame(socket, { id, reply: { kind: 'answer', answer: stop } });
  else if (socket.destroyed) stop();
  else socket.once('close', stop);
  return typeof stop === 'function';
}
