/**
 * Threads that compute give way to the HTTP thread, the store thread and the delivery threads. Otherwise each of them gets
 * as much of a busy core as the HTTP thread, and a flood of sign-ins, searches or large bodies delays events. Only Linux
 * has priorities of threads.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/** A tenth of the share of a thread without it. */
const NICE = 10;
const THREADS = '/proc/self/task';
/** libuv's four threads, which hash passwords, compress and look up names. Older versions of Node do not name them. */
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
