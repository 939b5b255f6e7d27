import { Worker } from 'node:worker_threads';
import { WORKER_HEAP_LIMITS } from '../../garbage-collection.ts';
import { CHECKPOINT, type LogState } from '../sqlite/files/checkpoints.ts';
import { databasePath } from '../sqlite/files/folder.ts';
import { identitiesOf } from '../sqlite/files/open-files.ts';
import { isFullFor } from './long-reads.ts';
import type { ReaderData } from './read-worker.ts';
import { bugReply, type CallRequest, type Reply } from './reply.ts';

const READER = new URL('./read-worker.js', import.meta.url);
/** A thread that nobody asks for so long ends, and gives its memory back. Prometheus mostly asks every 15 seconds. */
const IDLE_MS = 20_000;
const CLOSED: Reply = { kind: 'unavailable', reason: 'closed' };

interface Asked {
  readonly what: CallRequest | typeof CHECKPOINT;
  readonly resolve: (reply: Reply) => void;
}

/**
 * What a thread beside the store's does, one thing after the other. It is started when there is something to do. A
 * checkpoint goes before all questions that wait: they may be many, and while one is answered, what was written since
 * it began cannot be checkpointed.
 */
export class ReadWorkerClient {
  readonly #dataDir: string;
  readonly #module: URL;
  readonly #identities: ReaderData['identities'];
  #worker: Worker | null = null;
  #waiting: Asked[] = [];
  #current: Asked | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** While the store has its database open. */
  constructor(dataDir: string, module = READER) {
    this.#dataDir = dataDir;
    this.#module = module;
    this.#identities = identitiesOf(databasePath(dataDir));
  }

  /** Checkpoints the write-ahead log. Null: that failed. */
  async checkpoint(): Promise<LogState | null> {
    const reply = await this.ask(CHECKPOINT);
    return reply.kind === 'answer' ? (reply.answer as LogState) : null;
  }

  ask(what: CallRequest | typeof CHECKPOINT): Promise<Reply> {
    if (this.#isClosed) return Promise.resolve(CLOSED);
    const isFirst = what === CHECKPOINT;
    if (!isFirst && isFullFor(what, this.#questions))
      return Promise.resolve({ kind: 'unavailable', reason: 'overloaded' });
    return new Promise((resolve) => {
      this.#waiting.splice(isFirst ? 0 : this.#waiting.length, 0, { what, resolve });
      this.#goOn();
    });
  }

  /** Running reads are abandoned. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(CLOSED);
  }

  get #questions(): readonly CallRequest[] {
    return this.#waiting.flatMap(({ what }) => (what === CHECKPOINT ? [] : what));
  }

  #goOn(): void {
    if (this.#current) return;
    clearTimeout(this.#idle);
    this.#current = this.#waiting.shift();
    if (this.#current) {
      this.#worker ??= this.#start();
      this.#worker.postMessage(this.#current.what);
    } else this.#idle = setTimeout(() => void this.#end(CLOSED), IDLE_MS).unref();
  }

  #start(): Worker {
    const workerData: ReaderData = { dataDir: this.#dataDir, identities: this.#identities };
    const worker = new Worker(this.#module, { workerData, resourceLimits: WORKER_HEAP_LIMITS });
    worker.on('message', (reply: Reply) => {
      if (worker !== this.#worker) return;
      this.#current?.resolve(reply);
      this.#current = undefined;
      this.#goOn();
    });
    // It holds nothing that could be lost: the next question starts another.
    const broken = (error: unknown) => {
      if (worker === this.#worker) void this.#end(bugReply(error));
    };
    worker.on('error', broken);
    worker.on('exit', (code) => broken(`the reading thread ended by itself, with code ${code}`));
    return worker;
  }

  async #end(reply: Reply): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    const lost = [this.#current, ...this.#waiting];
    this.#worker = null;
    this.#current = undefined;
    this.#waiting = [];
    for (const asked of lost) asked?.resolve(reply);
    await worker?.terminate();
  }
}
