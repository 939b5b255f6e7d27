import { Worker } from 'node:worker_threads';
import type { ReaderData } from './reader.ts';
import type { Call, Reply } from './reply.ts';

const READER = new URL('./reader.js', import.meta.url);
/** Whoever asks for more at once is refused. */
const MAX_WAITING = 50;
/** A thread that nobody asks for so long ends, and gives its memory back. */
const IDLE_MS = 10_000;

/** The calls that a reading thread answers one by one, beside the store thread. It is started when there is something to ask. */
export class SideLine {
  readonly #dataDir: string;
  #worker: Worker | null = null;
  #waiting: ((reply: Reply) => void)[] = [];
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  ask(call: Call): Promise<Reply> {
    if (this.#isClosed) return Promise.resolve({ kind: 'unavailable', reason: 'closed' });
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve({ kind: 'unavailable', reason: 'overloaded' });
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      worker.postMessage(call);
    });
  }

  /** What is being read is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end('closed');
  }

  #start(): Worker {
    const worker = new Worker(READER, { workerData: { dataDir: this.#dataDir } satisfies ReaderData });
    worker.on('message', (reply: Reply) => {
      this.#waiting.shift()?.(reply);
      if (this.#waiting.length === 0) this.#idle = setTimeout(() => void this.#end('closed'), IDLE_MS).unref();
    });
    // It holds nothing that could be lost: the next question starts another.
    worker.on('error', (error) => {
      if (worker === this.#worker) void this.#end((error as Error).message);
    });
    return worker;
  }

  async #end(reason: string): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    const lost = this.#waiting;
    this.#worker = null;
    this.#waiting = [];
    for (const resolve of lost) resolve({ kind: 'unavailable', reason });
    await worker?.terminate();
  }
}
