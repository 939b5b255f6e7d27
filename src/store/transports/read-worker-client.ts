import { Worker } from 'node:worker_threads';
import { type SystemClock, systemClock } from '../../process/clock.ts';
import { entryUrl } from '../../process/entry-points.ts';
import { SMALL_YOUNG_GENERATION } from '../../process/threads.ts';
import type { Groups } from '../../values/turns.ts';
import type { Reader } from '../calls.ts';
import { databasePath } from '../data-folder.ts';
import { bugReply, type CallRequest, type Reply, type Transport } from '../reply.ts';
import { CHECK, CHECKPOINT, type LogState } from '../sqlite/files/checkpoints.ts';
import { identitiesOf } from '../sqlite/files/database-files.ts';
import { CLOSED, groupsOf, LongReads } from './long-reads.ts';
import type { FromReader, ReaderData, ReaderTask } from './read-worker.ts';

const READER = entryUrl('store/transports/read-worker');
/** A thread idle this long ends, to free memory. Prometheus mostly asks every 15 s. */
const IDLE_MS = 20_000;

interface Asked {
  readonly what: ReaderTask;
  readonly groups: Groups;
  readonly reader: Reader | undefined;
  readonly resolve: (reply: Reply) => void;
}

interface ReaderOptions {
  readonly settings: ReaderData['settings'];
  readonly clock?: SystemClock;
  readonly module?: URL;
}

/**
 * Runs work in a thread beside the store's, in sequence. It starts when there is work. A checkpoint precedes all
 * waiting calls: they may be many, and rows written since a call began cannot be checkpointed while it is answered.
 * Calls take turns.
 */
export class ReadWorkerClient implements Transport {
  readonly #dataDir: string;
  readonly #module: URL;
  readonly #settings: ReaderData['settings'];
  readonly #anchorMs: number;
  readonly #identities: ReaderData['identities'];
  #worker: Worker | null = null;
  /** First message, or end. */
  #loaded: Promise<unknown> | null = null;
  #upkeep: Asked[] = [];
  readonly #questions = new LongReads<Asked>();
  #current: Asked | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Needs the store's open database. */
  constructor(dataDir: string, { settings, clock = systemClock(), module = READER }: ReaderOptions) {
    this.#dataDir = dataDir;
    this.#module = module;
    this.#settings = settings;
    this.#anchorMs = clock.anchorMs;
    this.#identities = identitiesOf(databasePath(dataDir));
  }

  /** Checkpoints the write-ahead log. Null: failed. */
  async checkpoint(): Promise<LogState | null> {
    const reply = await this.ask(CHECKPOINT);
    return reply.kind === 'answer' ? (reply.answer as LogState) : null;
  }

  ask(what: ReaderTask, reader?: Reader): Promise<Reply> {
    if (this.#isClosed || reader?.signal.aborted) return Promise.resolve(CLOSED);
    return new Promise((resolve) => {
      if (isQuestion(what)) this.#questions.add({ what, groups: groupsOf(what, reader), reader, resolve });
      else this.#upkeep.splice(what === CHECKPOINT ? 0 : this.#upkeep.length, 0, { what, groups: [], reader, resolve });
      this.#startNext();
    });
  }

  /** Running reads are abandoned. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(CLOSED);
  }

  #startNext(): void {
    if (this.#current) return;
    clearTimeout(this.#idle);
    this.#current = this.#upkeep.shift() ?? this.#questions.next();
    if (this.#current) {
      this.#worker ??= this.#start();
      this.#worker.postMessage(this.#current.what);
    } else this.#idle = setTimeout(() => void this.#end(CLOSED), IDLE_MS).unref();
  }

  #start(): Worker {
    const workerData: ReaderData = {
      dataDir: this.#dataDir,
      identities: this.#identities,
      settings: this.#settings,
      anchorMs: this.#anchorMs,
    };
    const worker = new Worker(this.#module, { workerData, resourceLimits: SMALL_YOUNG_GENERATION });
    this.#loaded = new Promise((resolve) => worker.once('message', resolve).once('exit', resolve));
    worker.on('message', (reply: FromReader) => {
      if (worker !== this.#worker || reply.kind === 'loaded') return;
      this.#current?.resolve(reply);
      this.#current = undefined;
      this.#startNext();
    });
    // It holds nothing that could be lost: the next question starts another thread.
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
    const lost = [this.#current, ...this.#upkeep, ...this.#questions.clear()];
    this.#worker = null;
    this.#current = undefined;
    this.#upkeep = [];
    for (const asked of lost) asked?.resolve(reply);
    // The process aborts if a thread ends while loading a native module.
    await this.#loaded;
    await worker?.terminate();
  }
}

function isQuestion(what: ReaderTask): what is CallRequest {
  return what !== CHECKPOINT && what !== CHECK;
}
