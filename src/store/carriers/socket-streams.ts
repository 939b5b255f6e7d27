import type { Socket } from 'node:net';
import { isRefusal, type Refusal } from '../calls.ts';
import { failureReply } from './reply.ts';
import { type CallFrame, sendFrame } from './socket-frames.ts';

/** Takes an item, or answers false: the other side reads too slowly, and the item is lost. */
export type Emit = (item: unknown) => boolean;

/** A call that is answered by items, until the other side hangs up. Returns how to end it, or a refusal. */
export type OpenStream = (args: unknown, emit: Emit) => Promise<(() => void) | Refusal>;

/** The most that is buffered for a slow reader. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export async function serveStream(socket: Socket, { id, args }: CallFrame, open: OpenStream): Promise<void> {
  const emit: Emit = (item) => {
    if (socket.writableLength > MAX_UNREAD_BYTES) return false;
    sendFrame(socket, { id, item });
    return true;
  };
  const stop = await open(args, emit).catch(failureReply);
  if ('kind' in stop) sendFrame(socket, { id, reply: stop });
  else if (isRefusal(stop)) sendFrame(socket, { id, reply: { kind: 'answer', answer: stop } });
  else if (socket.destroyed) stop();
  else socket.once('close', stop);
}
