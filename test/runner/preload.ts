/**
 * Loaded before a test file (file.ts). Imports of `uvu/assert` get the counting one, modules are found more quickly,
 * and the CPU of the file is printed at its end.
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
    if (isImportOfHttp(specifier, context.conditions))
      return { url: requiredHttp(), format: 'module', shortCircuit: true };
    if (!isOfBuilt(specifier, from)) return next(specifier, context);
    return { url: new URL(specifier, from).href, format: 'module', shortCircuit: true };
  },
});

if (isMainThread) process.on('exit', () => process.stdout.write(`  CPU: ${usedCpuS() ?? 0} s\n`));

function isImportOfHttp(specifier: string, conditions: readonly string[]): boolean {
  return (specifier === 'node:http' || specifier === 'http') && conditions.includes('import');
}

/** To import node:http runs its getters, and one of them loads undici: 75 ms of CPU. `require` does not. See bin/bundle.js. */
function requiredHttp(): string {
  const parts = Object.getOwnPropertyDescriptors(process.getBuiltinModule('node:http'));
  const names = Object.keys(parts).filter((name) => 'value' in (parts[name as keyof typeof parts] ?? {}));
  const source = `const http = process.getBuiltinModule('node:http');
    export const { ${names.join()} } = http;
    export default http;`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function isOfBuilt(specifier: string, from: string): boolean {
  return specifier.startsWith('.') && specifier.endsWith('.js') && from.startsWith(BUILT);
}
