/**
 * Loaded before a test file (file.ts): whatever imports `uvu/assert` gets the counting one, and the CPU that the file took
 * is said at its end.
 */
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { usedCpuS } from './used-cpu.ts';

const COUNTING = new URL('./counted-assert.js', import.meta.url).href;
/** Built files name each other in full. Node would look into folders for what each may mean: a quarter of a file's start. */
const BUILT = new URL('../../', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const from = context.parentURL ?? '';
    if (specifier === 'uvu/assert' && from !== COUNTING) return { url: COUNTING, shortCircuit: true };
    if (!isOfBuilt(specifier, from)) return next(specifier, context);
    return { url: new URL(specifier, from).href, format: 'module', shortCircuit: true };
  },
});

if (isMainThread) process.on('exit', () => process.stdout.write(`  CPU: ${usedCpuS() ?? 0} s\n`));

function isOfBuilt(specifier: string, from: string): boolean {
  return specifier.startsWith('.') && specifier.endsWith('.js') && from.startsWith(BUILT);
}
