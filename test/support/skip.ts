import type { Callback, Test } from 'uvu';

/**
 * Skips tests of something that not every machine allows. `obstacle`: what is missing here. Null: the tests run.
 * Otherwise they are skipped and the runner prints why.
 *
 * const unlessRoot = skipWhere(process.getuid?.() === 0 ? 'root may write anywhere' : null, test); unlessRoot('A folder
 * that cannot be written is refused', async () => { … });
 */
export function skipWhere(obstacle: string | null, test: Test): (name: string, body: Callback) => void {
  if (obstacle === null) return test;
  return (name, body) => {
    process.stdout.write(`skipped: ${name} (${obstacle})\n`);
    test.skip(name, body);
  };
}
