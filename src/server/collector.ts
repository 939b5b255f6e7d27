import { setFlagsFromString } from 'node:v8';

/**
 * For all threads of the process. V8 notes which places in the code make objects that live through some collections, and
 * makes theirs old from the start. Here that guess is wrong: what waits for a disk or a provider only looks long-lived. And
 * an old object keeps all that it points to, a whole request, alive until the next full collection.
 *
 * Under ingest from 64 connections 25 % of all that was allocated outlived its request in this way, without it 0.3 %: the
 * HTTP thread's heap stays at 100 MB where it grew to 230, and a request costs 69 µs of CPU, all threads together, where
 * it cost 80.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
