import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CrashOptions, inOneLine, isGood, runCrash } from './crash.ts';

/** Runs that lose nothing, and send nothing twice beyond what was in flight. */
export function crashSuite(
  name: string,
  runs: readonly (CrashOptions & { readonly what: string })[],
): ReturnType<typeof suite> {
  const crash = suite(name);
  for (const { what, ...options } of runs) {
    crash(`${what} loses nothing, and sends nothing twice beyond what was in flight`, async () => {
      const report = await runCrash(options);
      const line = inOneLine(report);
      process.stdout.write(`\n${line}\n`);
      assert.ok(report.acknowledged > 0, line);
      assert.ok(isGood(report), line);
    });
  }
  return crash;
}
