/**
 * The socket's protocol: JSON lines. Both sides say hello; then calls and replies follow, matched by `id`. The server
 * reads the next call after the client read the reply. Streams are lines `{id, item}` until the caller hangs up, or a
 * reply if rejected.
 */
import type { Socket } from 'node:net';
import { isJsonObject } from '../../values/json.ts';
import type { Actor } from '../calls.ts';
import type { Reply } from '../reply.ts';

interface Hello {
  readonly hello: { readonly version: string };
}
export interface CallFrame {
  readonly id: number;
  readonly call: string;
  readonly args: unknown;
  readonly actor?: Actor;
}
interface ItemFrame {
  readonly id: number;
  readonly item: unknown;
}
interface ReplyFrame {
  readonly id: number;
  readonly reply: Reply;
}

/** In UTF-16 units: no import part or answer comes near it. */
const MAX_FRAME_LENGTH = 16 * 1024 * 1024;

/** Counts a connection's bytes. `take` throws if there is no room. */
export interface FrameMemory {
  take(bytes: number): void;
  giveBack(bytes: number): void;
}

const UNCOUNTED: FrameMemory = { take() {}, giveBack() {} };

/** Resolves when the system took the frame, or the connection ended. Rejects as `take` throws. */
export async function sendFrame(
  socket: Socket,
  frame: Hello | CallFrame | ReplyFrame | ItemFrame,
  memory: FrameMemory = UNCOUNTED,
): Promise<void> {
  if (!socket.writable) return;
  const bytes = Buffer.from(`${JSON.stringify(frame)}\n`);
  memory.take(bytes.length);
  await new Promise<unknown>((resolve) => socket.write(bytes, resolve));
  memory.giveBack(bytes.length);
}

interface FrameLimits {
  readonly maxLength?: number | undefined;
  readonly memory?: FrameMemory | undefined;
}

/**
 * Gives each frame to `receive`, the next when its promise resolved. Reads only up to the next frame meanwhile,
 * noticing a waiting peer's end. Hangs up on anything else, or endless frames.
 */
export function onFrames(
  socket: Socket,
  receive: (frame: unknown) => void | Promise<void>,
  { maxLength = MAX_FRAME_LENGTH, memory = UNCOUNTED }: FrameLimits = {},
): void {
  let unfinished = '';
  let waiting: string[] = [];
  let isReceiving = false;
  const receiveAll = async (): Promise<void> => {
    isReceiving = true;
    for (let line = waiting.shift(); line !== undefined && !socket.destroyed; line = waiting.shift()) {
      if (waiting.length === 0) socket.resume();
      await receive(JSON.parse(line));
      memory.giveBack(line.length + 1);
    }
    isReceiving = false;
  };
  socket.setEncoding('utf8');
  const take = (text: string): void => {
    memory.take(text.length);
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    waiting = waiting.concat(lines);
    if (waiting.length > 0 && isReceiving) socket.pause();
    if (unfinished.length > maxLength) throw new Error('the frame is too long');
    if (!isReceiving) receiveAll().catch((error: Error) => socket.destroy(error));
  };
  socket.on('data', (text: string) => {
    try {
      take(text);
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
}

export function isHello(frame: unknown): frame is Hello {
  return isJsonObject(frame) && isJsonObject(frame.hello) && typeof frame.hello.version === 'string';
}

export function isCallFrame(frame: unknown): frame is CallFrame {
  return isJsonObject(frame) && typeof frame.id === 'number' && typeof frame.call === 'string';
}

export function isReplyFrame(frame: unknown): frame is ReplyFrame {
  return isJsonObject(frame) && typeof frame.id === 'number' && isJsonObject(frame.reply);
}

export function isItemFrame(frame: unknown): frame is ItemFrame {
  return isJsonObject(frame) && typeof frame.id === 'number' && 'item' in frame;
}
