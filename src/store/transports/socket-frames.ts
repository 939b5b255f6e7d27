/**
 * What goes over the socket: one JSON value a line. First both sides say hello; then calls and replies, several at
 * once, matched by `id`. A call whose answer is a stream sends lines `{id, item}` until the caller hangs up, or a
 * reply where it is refused.
 */
import type { Socket } from 'node:net';
import { isJsonObject } from '../../values/json.ts';
import type { Actor } from '../calls.ts';
import type { Reply } from '../reply.ts';

export interface Hello {
  readonly hello: { readonly version: string };
}
export interface CallFrame {
  readonly id: number;
  readonly call: string;
  readonly args: unknown;
  readonly actor?: Actor;
}
export interface ItemFrame {
  readonly id: number;
  readonly item: unknown;
}
export interface ReplyFrame {
  readonly id: number;
  readonly reply: Reply;
}

/** In UTF-16 units: no part of an import and no answer comes near it. */
const MAX_FRAME_LENGTH = 16 * 1024 * 1024;

export function sendFrame(socket: Socket, frame: Hello | CallFrame | ReplyFrame | ItemFrame): void {
  if (socket.writable) socket.write(`${JSON.stringify(frame)}\n`);
}

/** Gives each frame to `receive`. A peer that sends anything else, or a frame without end, is hung up on. */
export function onFrames(
  socket: Socket,
  receive: (frame: unknown) => void,
  maxLength: number = MAX_FRAME_LENGTH,
): void {
  let unfinished = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    try {
      if (unfinished.length > maxLength) throw new Error('the frame is too long');
      for (const line of lines) receive(JSON.parse(line));
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
