import { extname } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { Piscina } from 'piscina';
import type { FittedPublication } from '../../contract/senders/fitting.ts';
import type { Reply } from '../../contract/senders/format.ts';
import { SMALL_YOUNG_GENERATION } from '../../garbage-collection.ts';
import type { KeyRecord } from '../../store/calls.ts';
import { invalid, isCompressed, receiveBytes, tooLarge } from '../body/read-json.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { LARGE_BYTES, type LargeBody, type ReadLarge, type Refusal } from './large-body-worker.ts';

export interface LargeBodiesOptions {
  /** For tests: the module that the thread runs. */
  readonly worker?: URL;
  readonly deadlineMs?: number;
  readonly idleMs?: number;
}

/** Where a body is published: the format's name and the address's path in it. */
export type Place = Pick<LargeBody, 'format' | 'path'>;

/** From when the thread has the body, its start included. */
const DEADLINE_MS = 5_000;
const IDLE_MS = 2_000;
/** More than the worst body needs that the worker does not refuse. */
const MEMORY = { ...SMALL_YOUNG_GENERATION, maxOldGenerationSizeMb: 128 };
/** Those that wait for another of their key included. */
const PER_WORKSPACE = 4;
const TOTAL = 16;
const RETRY_AFTER_MS = 1_000;

/**
 * Reads bodies of senders that may be larger than those of events, as where a notification has many alerts. They
 * are taken apart in a thread of their own, bounded in time and memory, which is there only while it is
 * needed. A key has one of them at a time, and few are in memory at all.
 */
export class LargeBodies {
  readonly #piscina: Piscina<LargeBody, ReadLarge>;
  readonly #deadlineMs: number;
  readonly #thread = pLimit(1);
  readonly #keys = new Map<string, LimitFunction>();
  readonly #workspaces = new Map<number, number>();
  #total = 0;

  constructor({ worker = workerModule(), deadlineMs = DEADLINE_MS, idleMs = IDLE_MS }: LargeBodiesOptions = {}) {
    this.#deadlineMs = deadlineMs;
    this.#piscina = new Piscina({
      filename: worker.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      resourceLimits: MEMORY,
      // By default piscina blocks a thread without a task.
      atomics: 'disabled',
    });
    // A thread that dies without a task emits this. The next body starts another.
    this.#piscina.on('error', () => undefined);
  }

  /** How many threads there are just now. */
  get threads(): number {
    return this.#piscina.threads.length;
  }

  /** Null: there is no text in it. Throws as `readJson` does, also where a body takes too long or too much memory. */
  async publication(context: Context, key: KeyRecord, place: Place): Promise<FittedPublication | Reply | null> {
    this.#enter(key);
    const limit = this.#keys.get(key.id) ?? pLimit(1);
    this.#keys.set(key.id, limit);
    try {
      return await limit(() => this.#read(context, place));
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#keys.delete(key.id);
      this.#leave(key);
    }
  }

  #enter({ workspaceId }: KeyRecord): void {
    const ofWorkspace = this.#workspaces.get(workspaceId) ?? 0;
    if (ofWorkspace >= PER_WORKSPACE || this.#total >= TOTAL) {
      throw new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
    }
    this.#workspaces.set(workspaceId, ofWorkspace + 1);
    this.#total += 1;
  }

  #leave({ workspaceId }: KeyRecord): void {
    const left = (this.#workspaces.get(workspaceId) ?? 0) - 1;
    this.#total -= 1;
    if (left > 0) this.#workspaces.set(workspaceId, left);
    else this.#workspaces.delete(workspaceId);
  }

  async #read(context: Context, place: Place): Promise<FittedPublication | Reply | null> {
    const isGzip = isCompressed(context);
    // A copy, as what Node received may be part of a larger piece of memory, which would be moved as a whole.
    const bytes = new Uint8Array(await receiveBytes(context, LARGE_BYTES));
    const read = await this.#thread(() => this.#run({ ...place, params: { ...context.params }, bytes, isGzip }));
    if (read.kind === 'refused') throw refused(read.why);
    return read.publication;
  }

  async #run(body: LargeBody): Promise<ReadLarge> {
    const signal = AbortSignal.timeout(this.#deadlineMs);
    try {
      return await this.#piscina.run(body, { signal, transferList: [body.bytes.buffer] });
    } catch (error) {
      if (signal.aborted || isOutOfMemory(error)) return { kind: 'refused', why: 'too_costly' };
      throw error;
    }
  }
}

/** What is sent in chunks or compressed does not say how large it is. */
export function mayBeLarge({ req: { headers } }: Context): boolean {
  const isSaid = headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined;
  return !isSaid || Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES;
}

function refused(why: Refusal): ApiError {
  switch (why) {
    case 'not_gzip':
      return invalid('The body cannot be decompressed.');
    case 'too_large':
      return tooLarge(LARGE_BYTES);
    case 'too_dense':
      return new ApiError('payload_too_large', { message: 'The body inflates to far more than was sent.' });
    case 'too_costly':
      return new ApiError('payload_too_large', { message: 'The body holds too many values.' });
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** The module beside this one, built or not. */
function workerModule(): URL {
  return new URL(`./large-body-worker${extname(import.meta.url)}`, import.meta.url);
}
