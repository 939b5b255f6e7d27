import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/**
 * Keeps computing threads below the HTTP, store and delivery threads. With equal shares of a busy core, floods of
 * sign-ins, searches or large bodies would delay events. Only Linux has thread priorities. A tenth of the normal share:
 */
const NICE = 10;
const THREADS = '/proc/self/task';
/** libuv's four threads (passwords, compression, names); unnamed in older Node versions. */
const POOL_THREAD = 'libuv-worker';

/** Lets this worker give way. */
export function lowerThreadPriority(): void {
  if (!isMainThread) lower(0);
}

/** Lets the threads of libuv's pool give way. */
export async function lowerPoolPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  // The first asynchronous call starts them.
  await stat(THREADS);
  for (const thread of readdirSync(THREADS)) if (nameOf(thread) === POOL_THREAD) lower(Number(thread));
}

/** `thread`: 0 is the calling one. */
function lower(thread: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(thread, NICE);
  } catch {
    // A sandbox may forbid it. Then all threads are equal.
  }
}

/** A thread may end meanwhile. */
function nameOf(thread: string): string {
  try {
    return readFileSync(`${THREADS}/${thread}/comm`, 'latin1').trim();
  } catch {
    return '';
  }
}

/**
 * Gives young objects of the store thread twice 8 MB; bin/pushctl has V8's other flags and their gain. The HTTP thread
 * has more, or it would lose a tenth of its requests.
 */
export const WORKER_HEAP_LIMITS = { maxYoungGenerationSizeMb: 24 };

/**
 * Twice 16 MB: with twice 8, the pushes in flight outlive so many collections that they cost a seventh more CPU. An idle
 * thread does not use it.
 */
export const LARGE_YOUNG_GENERATION = { maxYoungGenerationSizeMb: 48 };

/** Twice 2 MB, for threads that no event awaits. */
export const SMALL_YOUNG_GENERATION = { maxYoungGenerationSizeMb: 8 };

const AFTER_START_MS = 1_000;

/**
 * Frees memory of the start, once nothing waits for it. With late loading, an idle server takes 137 MB instead of 200.
 */
export function collectGarbageOfStart(): void {
  setTimeout(collectGarbage, AFTER_START_MS).unref();
}

/**
 * Returns what to call at regular times with whether the thread is busy. Frees its memory once, after a load and as many
 * calls without one.
 */
export function collectorAfterLoad(calls: number, collect: () => void = collectGarbage): (isBusy: boolean) => void {
  let idle = calls;
  return (isBusy) => {
    idle = isBusy ? 0 : idle + 1;
    if (idle === calls) collect();
  };
}

/** Takes about 40 ms. Needs `--expose-gc`. */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Frees a small thread's memory in milliseconds: V8 notices buffers late. Needs `--expose-gc`. */
export function collectUsedBuffers(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync' });
}
