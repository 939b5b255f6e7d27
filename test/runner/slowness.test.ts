import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureSlowness } from './slowness.ts';

test('Two busy processes for each core make a machine more than twice as slow', async () => {
  const loops = Array.from({ length: 2 * availableParallelism() }, busy);
  try {
    await Promise.all(loops.map((loop) => once(loop, 'spawn')));
    const slowness = await measureSlowness();
    assert.ok(slowness >= 2, `${slowness}`);
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
});

test.run();

function busy(): ChildProcess {
  return spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
}
