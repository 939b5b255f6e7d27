import pLimit, { type LimitFunction } from 'p-limit';
import { Piscina } from 'piscina';
import { SMALL_YOUNG_GENERATION } from '../../process/threads.ts';
import type { KeyRecord } from '../../store/calls.ts';
import { overloaded } from '../errors.ts';

export interface ParsingThreadOptions {
  /** The thread's module. Used by tests only. */
  readonly worker?: URL;
  readonly deadlineMs?: number;
  readonly idleMs?: number;
  /**
   * How many bodies may be there at a time, with those that wait for another of their key. A key may have half of a
   * workspace's.
   */
  readonly perWorkspace?: number;
  readonly total?: number;
}

/** Includes the thread's start. */
const DEADLINE_MS = 5_000;
const IDLE_MS = 2_000;
/** More than the worst accepted body needs. */
const MEMORY = { ...SMALL_YOUNG_GENERATION, maxOldGenerationSizeMb: 128 };
/** Bodies wait milliseconds, and the body budget bounds their bytes. */
const PER_WORKSPACE = 16;
const TOTAL = 64;

/** Parses costly bodies in an on-demand thread, bounded in time and memory. Each key has one there, and few wait. */
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
      // Piscina's default blocks idle threads.
      atomics: 'disabled',
    });
    // Emitted if an idle thread dies; the next task starts another.
    this.#piscina.on('error', () => undefined);
  }

  get threads(): number {
    return this.#piscina.threads.length;
  }

  /**
   * Parses a complete body in the key's turn, taking over the bytes. `too_costly`: too much time or memory. Throws
   * `overloaded` if too many wait.
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
