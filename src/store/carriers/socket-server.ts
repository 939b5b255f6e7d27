import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { OperatorProblem } from '../../problem.ts';
import { type Actor, CALLS, type CallName, type StoreClient } from '../calls.ts';
import { failureReply, type Reply } from './reply.ts';
import { type CallFrame, isCallFrame, isHello, onFrames, sendFrame } from './socket-frames.ts';
import { type OpenStream, serveStream } from './socket-streams.ts';

/** The longest path that fits into `sun_path` (unix(7)) before its final zero. */
const MAX_PATH_BYTES = 107;

export interface SocketOptions {
  readonly path: string;
  /** Must own the data folder: then a socket file found there is a dead server's, and is replaced. */
  readonly store: StoreClient;
  readonly version: string;
  /** Calls that are answered by items, by their names. */
  readonly streams?: Readonly<Record<string, OpenStream>>;
}

/** Lets the command line tool of the same user call the store. The socket file's mode is 0600. */
export async function serveSocket(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    serveConnection(socket, options);
  });
  await listen(server, options.path);
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
async function listen(server: Server, path: string): Promise<void> {
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
    chmodSync(path, 0o600);
  } catch (error) {
    server.close();
    throw new OperatorProblem(`cannot listen on the socket ${path}: ${(error as Error).message}.`);
  }
}

function serveConnection(socket: Socket, { store, version, streams = {} }: SocketOptions): void {
  let greeted = false;
  socket.on('error', () => socket.destroy());
  sendFrame(socket, { hello: { version } });
  onFrames(socket, (frame) => {
    if (!greeted) {
      // The other side has our version by now and says what is to be done about it.
      greeted = isHello(frame) && frame.hello.version === version;
      if (!greeted) socket.end();
    } else if (isCallFrame(frame) && Object.hasOwn(streams, frame.call)) {
      void serveStream(socket, frame, streams[frame.call] as OpenStream);
    } else if (isCallFrame(frame)) {
      void replyTo(frame, store).then((reply) => sendFrame(socket, { id: frame.id, reply }));
    } else {
      socket.destroy();
    }
  });
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
