/**
 * Lowers computing threads below the HTTP, store and delivery threads. Otherwise they share a busy core equally, and
 * floods of sign-ins, searches or large bodies delay events. Only Linux has thread priorities.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/** Gives a tenth of the normal share. */
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
