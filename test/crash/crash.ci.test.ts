import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CrashOptions, inOneLine, isGood, runCrash } from './crash.ts';

const crash = suite('crash');

const RUNS: readonly (CrashOptions & { readonly what: string })[] = [
  // The providers flap in the second round alone.
  {
    what: 'kill -9 under load, while the providers work and while they flap,',
    rounds: 3,
    signal: 'SIGKILL',
    flapping: true,
  },
  { what: 'a graceful stop', rounds: 1, signal: 'SIGTERM', flapping: false },
];

for (const { what, ...options } of RUNS) {
  crash(`${what} loses nothing, and sends nothing twice beyond what was in flight`, async () => {
    const report = await runCrash(options);
    const line = inOneLine(report);
    process.stdout.write(`\n${line}\n`);
    assert.ok(report.acknowledged > 0, line);
    assert.ok(isGood(report), line);
  });
}

crash.run();
