import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CrashOptions, inOneLine, isGood, runCrash } from './crash.ts';
import { sizeFrom } from './size-from.ts';

const crash = suite('crash, round after round');

const ROUNDS = sizeFrom('CRASH_ROUNDS', 20);

const RUNS: readonly (CrashOptions & { readonly what: string })[] = [
  { what: 'kill -9 under load', rounds: ROUNDS, signal: 'SIGKILL', flapping: true },
  { what: 'a graceful stop', rounds: Math.ceil(ROUNDS / 5), signal: 'SIGTERM', flapping: false },
];

for (const { what, ...options } of RUNS) {
  crash(
    `${what}, ${options.rounds} times, loses nothing and sends nothing twice beyond what was in flight`,
    async () => {
      const report = await runCrash(options);
      const line = inOneLine(report);
      process.stdout.write(`\n${line}\n`);
      assert.ok(report.acknowledged > 0, line);
      assert.ok(isGood(report), line);
    },
  );
}

crash.run();
