/**
 * Loaded before the program, into the server and each of its threads (`--import`). Notes when a request comes, when its
 * answer is written, and when threads send and receive messages. For `npm run bench -- hops` alone.
 */
import { subscribe } from 'node:diagnostics_channel';
import { isMainThread, MessagePort } from 'node:worker_threads';
import { sharedMs } from './handlers.ts';

/** Something that happened, by the shared clock. */
export interface Mark {
  readonly what: string;
  readonly atMs: number;
}

/** The part of the messages that has their names. */
interface Message {
  readonly kind?: string;
  readonly calls?: readonly { readonly name: string }[];
  readonly task?: { readonly targets?: unknown };
  readonly taskId?: number;
}

type Listener = (message: Message) => void;

const GATHER = 'bench-marks';
const GATHERED_MS = 300;

const marks: Mark[] = [];
const others = new BroadcastChannel(GATHER);
(others as unknown as { unref(): void }).unref();
others.onmessage = ({ data }: MessageEvent) => {
  if (isMainThread) marks.push(...(data as readonly Mark[]));
  // Each thread hears what the others send as well.
  else if (data === GATHER) others.postMessage(marks.splice(0));
};

if (isMainThread) {
  subscribe('http.server.request.start', () => mark('request'));
  subscribe('http.server.response.finish', () => mark('answered'));
}
Object.assign(globalThis, { gatherMarks });
watchPorts(
  MessagePort.prototype as unknown as { postMessage: Listener; on(type: string, listener: Listener): unknown },
);

/** The marks of all threads since the last call, and of the main thread. */
async function gatherMarks(): Promise<readonly Mark[]> {
  others.postMessage(GATHER);
  await new Promise((resolve) => setTimeout(resolve, GATHERED_MS));
  return marks.splice(0);
}

function mark(what: string): void {
  marks.push({ what, atMs: sharedMs() });
}

function watchPorts(prototype: { postMessage: Listener; on(type: string, listener: Listener): unknown }): void {
  const { postMessage, on } = prototype;
  const side = isMainThread ? 'main' : 'thread';
  prototype.postMessage = function (this: unknown, message, ...more: []) {
    for (const name of namesOf(message)) mark(`${name}: ${side} sends`);
    return postMessage.call(this, message, ...more);
  };
  prototype.on = function (this: unknown, type, listener) {
    if (type !== 'message') return on.call(this, type, listener);
    return on.call(this, type, (message) => {
      for (const name of namesOf(message)) mark(`${name}: ${side} has it`);
      listener(message);
    });
  };
}

/** Calls of the store, their replies, and batches on their way to a delivery thread and back. */
function namesOf({ kind, calls, task, taskId }: Message): readonly string[] {
  if (kind === 'group') return calls?.map(({ name }) => name) ?? [];
  if (kind === 'replies') return ['replies'];
  if (task?.targets !== undefined) return ['batch'];
  return taskId !== undefined && task === undefined ? ['outcomes'] : [];
}
