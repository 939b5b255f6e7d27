import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

const MEASURE_MS = 250;
/** Beyond this a run would rather fail than wait. */
const MOST = 10;
const SPIN = `
const { parentPort, workerData: untilMs } = require('node:worker_threads');
while (Date.now() < untilMs);
parentPort.postMessage('done');
`;

/** Measures how much longer work takes here than on a quiet machine: 1 if each core is free, 2 if others use half of it. */
export async function measureSlowness(): Promise<number> {
  const before = process.cpuUsage();
  const startedMs = Date.now();
  const cores = availableParallelism();
  await Promise.all(Array.from({ length: cores }, () => spin(startedMs + MEASURE_MS)));
  const { user, system } = process.cpuUsage(before);
  const gotMs = (user + system) / 1000 / cores;
  const slowness = (Date.now() - startedMs) / gotMs;
  return Math.min(Math.max(Math.round(slowness * 10) / 10, 1), MOST);
}

function spin(untilMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  new Worker(SPIN, { eval: true, workerData: untilMs }).once('message', () => resolve()).once('error', reject);
  return promise;
}
