import type { Worker } from 'node:worker_threads';
import { unreachable } from '../../push.ts';
import { CALLS } from '../calls.ts';
import type { CallRequest, Reply, Transport } from '../reply.ts';
import { Checkpoints } from '../sqlite/files/checkpoints.ts';
import type { FileChange } from '../sqlite/files/guard.ts';
import { DamageWatch, type DamageWatchOptions } from './database-watch.ts';
import { Listeners } from './listeners.ts';
import type { ReadWorkerClient } from './read-worker-client.ts';
import type { FromThread, ToThread } from './thread.ts';

export interface CallLineOptions extends DamageWatchOptions {
  /** The thread died: the server must end too, to be started afresh. */
  readonly onFatal?: (error: Error) => void;
  /** Called for everything that occupied the store thread, with duration. */
  readonly onHeld?: (held: Held) => void;
  /** Called when the database's files left their place, with the consequences. */
  readonly onFiles?: (change: FileChange) => void;
  /** The most calls that may wait for the disk; further ones are refused with `StoreUnavailable`. */
  readonly maxWaiting?: number;
}

export type Held =
  /** A group, now on disk. `answeredMs`: from sending until this thread had the answers. */
  | { readonly by: 'group'; readonly calls: number; readonly tookMs: number; readonly answeredMs: number }
  /** Its part of a checkpoint, or a look at the write-ahead log. */
  | { readonly by: 'log'; readonly tookMs: number };

const MAX_WAITING = 10_000;
/** The limit of a group, so that no single transaction delays the calls behind it for long. */
const MAX_GROUP = 1_000;
/**
 * So many calls do not wait for the end of the turn if the thread is idle: it works on them while the turn goes on.
 * Otherwise the calls of 64 connections end up in one group, and both threads wait for each other in turns. The gain is
 * 1.12 times the events a second.
 */
const ENOUGH_FOR_A_GROUP = 16;

interface OpenCall {
  readonly call: CallRequest;
  readonly resolve: (reply: Reply) => void;
}

/**
 * Calls on their way to the thread and back. One group is there at a time; calls meanwhile form the next. Slower disks
 * get larger groups.
 */
export class CallLine implements Transport {
  readonly listeners = new Listeners();
  readonly damage: DamageWatch;
  readonly #worker: Worker;
  readonly #maxWaiting: number;
  readonly #onFatal: (error: Error) => void;
  readonly #onHeld: (held: Held) => void;
  readonly #onFiles: (change: FileChange) => void;
  readonly #exited: Promise<void>;
  readonly #checkpoints: Checkpoints;
  #waiting: OpenCall[] = [];
  /** Parts of long work. */
  #steps: OpenCall[] = [];
  #group: readonly OpenCall[] = [];
  #sentAtMs = 0;
  #isSendPlanned = false;
  #state: 'open' | 'closing' | 'closed' | 'dead' = 'open';

  constructor(worker: Worker, readWorker: ReadWorkerClient, options: CallLineOptions) {
    this.#worker = worker;
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
    this.#onFatal = options.onFatal ?? (() => {});
    this.#onHeld = options.onHeld ?? (() => {});
    this.#onFiles = options.onFiles ?? (() => {});
    this.damage = new DamageWatch(options);
    this.#checkpoints = new Checkpoints({
      pass: () => readWorker.checkpoint(),
      ask: (shouldFinish) => this.#state === 'open' && this.#post({ kind: 'log', shouldFinish }),
    });
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (message: FromThread) => this.#receive(message));
    worker.on('error', (error) => this.#fail(error as Error));
    worker.on('exit', (code) => this.#fail(new Error(`the store thread ended with code ${code}`)));
  }

  ask(call: CallRequest): Promise<Reply> {
    if (this.#state !== 'open') return Promise.resolve({ kind: 'unavailable', reason: this.#state });
    const refusal = this.damage.refusal(call);
    if (refusal !== null) return Promise.resolve(refusal);
    const { isStep, isSentAtOnce } = CALLS[call.name];
    const line = isStep ? this.#steps : this.#waiting;
    if (line.length >= this.#maxWaiting) return Promise.resolve({ kind: 'unavailable', reason: 'overloaded' });
    return new Promise((resolve) => {
      line.push({ call, resolve });
      if (this.#waiting.length >= ENOUGH_FOR_A_GROUP) this.#sendIfIdle();
      else if (isSentAtOnce) queueMicrotask(() => this.#sendIfIdle());
      else this.#planSend();
    });
  }

  markWhole(): void {
    if (this.#state === 'open') this.#post({ kind: 'whole' });
  }

  /** Ends the thread once all earlier calls have their answers. */
  async close(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      this.#planSend();
    }
    await this.#exited;
  }

  /** After this turn's input: calls that arrived together go together. */
  #planSend(): void {
    if (this.#isSendPlanned || this.#group.length > 0) return;
    this.#isSendPlanned = true;
    setImmediate(() => {
      this.#isSendPlanned = false;
      this.#sendIfIdle();
    });
  }

  #sendIfIdle(): void {
    if (this.#group.length === 0) this.#send();
  }

  #send(): void {
    if (this.#state === 'dead') return;
    this.#group = [...this.#waiting.splice(0, MAX_GROUP), ...this.#nextStep()];
    this.#sentAtMs = performance.now();
    if (this.#group.length > 0) this.#post({ kind: 'group', calls: this.#group.map(({ call }) => call) });
    else if (this.#state === 'closing') this.#post({ kind: 'close' });
  }

  /** Calls before a close run first. */
  #nextStep(): readonly OpenCall[] {
    return this.#checkpoints.isCatchingUp && this.#state === 'open' ? [] : this.#steps.splice(0, 1);
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'replies': {
        const answered = this.#group;
        const answeredMs = performance.now() - this.#sentAtMs;
        this.#onHeld({ by: 'group', calls: answered.length, tookMs: message.tookMs, answeredMs });
        this.#group = [];
        if (this.#state === 'open') this.#checkpoints.note(message.log);
        this.#send();
        const calls = answered.map(({ call }) => call);
        this.listeners.notify(calls, message.replies, message.touched);
        message.replies.forEach((reply, index) => {
          const call = calls[index];
          if (call) this.damage.seen(call, reply);
          answered[index]?.resolve(reply);
        });
        return;
      }
      case 'files':
        this.#onFiles(message.change);
        return;
      case 'log':
        this.#onHeld({ by: 'log', tookMs: message.tookMs });
        if (this.#state !== 'open') return;
        this.#checkpoints.note(message.log);
        this.#sendIfIdle();
        return;
      case 'closed':
        this.#state = 'closed';
        return;
      case 'open':
      case 'problem':
        return;
      default:
        unreachable(message);
    }
  }

  #fail(error: Error): void {
    if (this.#state === 'closed' || this.#state === 'dead') return;
    this.#state = 'dead';
    const lost = [...this.#group, ...this.#waiting, ...this.#steps];
    this.#group = [];
    this.#waiting = [];
    this.#steps = [];
    this.#onFatal(error);
    for (const { resolve } of lost) resolve({ kind: 'unavailable', reason: error.message });
  }
}
