/** Stands in for a reading thread that needs a while to load SQLite: it writes a file when it has. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
writeFileSync(join((workerData as { dataDir: string }).dataDir, 'loaded'), '');
parentPort?.postMessage({ kind: 'loaded' });
