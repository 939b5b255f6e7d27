import pLimit, { type LimitFunction } from 'p-limit';
import { Piscina } from 'piscina';
import { SMALL_YOUNG_GENERATION } from '../../process/garbage-collection.ts';
import type { KeyRecord } from '../../store/calls.ts';
import { overloaded } from '../errors.ts';

export interface ParsingThreadOptions {
  /** The module that the thread runs. Used by tests only. */
  readonly worker?: URL;
  readonly deadlineMs?: number;
  readonly idleMs?: number;
  /** How many may be there at a time, with those that wait for another of their key. A key may have half of a workspace's. */
  readonly perWorkspace?: number;
  readonly total?: number;
}

/** From when the thread has it, its start included. */
const DEADLINE_MS = 5_000;
const IDLE_MS = 2_000;
/** More than the worst body needs that the worker does not refuse. */
const MEMORY = { ...SMALL_YOUNG_GENERATION, maxOldGenerationSizeMb: 128 };
/** They wait for some milliseconds each, and their bytes are bounded by the budget of bodies. */
const PER_WORKSPACE = 16;
const TOTAL = 64;

/**
 * A thread that parses what may cost much, bounded in time and memory, and there only while it is needed. A key has one
 * body in it at a time, and few wait.
 */
export class ParsingThread<Task extends { readonly bytes: Uint8Array<ArrayBuffer> }, Answer> {
  readonly #piscina: Piscina<Task, Answer>;
  readonly #deadlineMs: number;
  readonly #most: { readonly perWorkspace: number; readonly total: number };
  readonly #thread = pLimit(1);
  readonly #keys = new Map<string, LimitFunction>();
  readonly #workspaces = new Map<number, number>();
  #total = 0;

  constructor(module: URL, options: ParsingThreadOptions = {}) {
    const { worker = module, deadlineMs = DEADLINE_MS, idleMs = IDLE_MS } = options;
    this.#deadlineMs = deadlineMs;
    this.#most = { perWorkspace: options.perWorkspace ?? PER_WORKSPACE, total: options.total ?? TOTAL };
    this.#piscina = new Piscina({
      filename: worker.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      resourceLimits: MEMORY,
      // The default of piscina blocks a thread without a task.
      atomics: 'disabled',
    });
    // A thread that dies without a task emits this. The next task starts another.
    this.#piscina.on('error', () => undefined);
  }

  /** How many threads there are just now. */
  get threads(): number {
    return this.#piscina.threads.length;
  }

  /**
   * Parses a body that has come as a whole, in the turn of its key. The thread takes the bytes over. `too_costly`: it
   * took too long, or too much memory. Throws `overloaded` if too many wait.
   */
  async run(key: Pick<KeyRecord, 'id' | 'workspaceId'>, task: Task): Promise<Answer | 'too_costly'> {
    const limit = this.#keys.get(key.id) ?? pLimit(1);
    this.#enter(key, limit.activeCount + limit.pendingCount);
    this.#keys.set(key.id, limit);
    try {
      return await limit(() => this.#thread(() => this.#run(task)));
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#keys.delete(key.id);
      this.#leave(key);
    }
  }

  #enter({ workspaceId }: Pick<KeyRecord, 'workspaceId'>, ofKey: number): void {
    const ofWorkspace = this.#workspaces.get(workspaceId) ?? 0;
    const { perWorkspace, total } = this.#most;
    if (ofKey >= perWorkspace / 2 || ofWorkspace >= perWorkspace || this.#total >= total) {
      throw overloaded();
    }
    this.#workspaces.set(workspaceId, ofWorkspace + 1);
    this.#total += 1;
  }

  #leave({ workspaceId }: Pick<KeyRecord, 'workspaceId'>): void {
    const left = (this.#workspaces.get(workspaceId) ?? 0) - 1;
    this.#total -= 1;
    if (left > 0) this.#workspaces.set(workspaceId, left);
    else this.#workspaces.delete(workspaceId);
  }

  async #run(task: Task): Promise<Answer | 'too_costly'> {
    const signal = AbortSignal.timeout(this.#deadlineMs);
    try {
      return await this.#piscina.run(task, { signal, transferList: [task.bytes.buffer] });
    } catch (error) {
      if (signal.aborted || isOutOfMemory(error)) return 'too_costly';
      throw error;
    }
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
