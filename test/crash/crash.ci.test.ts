import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CrashOptions, inOneLine, isGood, runCrash } from './crash.ts';

const crash = suite('crash');

const RUNS: readonly (CrashOptions & { readonly what: string })[] = [
  { what: 'kill -9 under load', rounds: 3, signal: 'SIGKILL', flapping: false },
  { what: 'kill -9 while the providers flap', rounds: 2, signal: 'SIGKILL', flapping: true },
  { what: 'a graceful stop', rounds: 1, signal: 'SIGTERM', flapping: false },
];

for (const { what, ...options } of RUNS) {
  crash(`${what} loses nothing, and sends nothing twice beyond what was on its way`, async () => {
    const report = await runCrash(options);
    const line = inOneLine(report);
    process.stdout.write(`\n${line}\n`);
    assert.ok(report.acknowledged > 0, line);
    assert.ok(isGood(report), line);
  });
}

crash.run();
