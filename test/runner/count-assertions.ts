/**
 * Loaded before a test file (file.ts): whatever imports `uvu/assert` gets the counting one, and the CPU that the file took
 * is said at its end.
 */
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { usedCpuS } from './used-cpu.ts';

const COUNTING = new URL('./counted-assert.js', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'uvu/assert' && context.parentURL !== COUNTING
      ? { url: COUNTING, shortCircuit: true }
      : next(specifier, context),
});

if (isMainThread) process.on('exit', () => process.stdout.write(`  CPU: ${usedCpuS() ?? 0} s\n`));
