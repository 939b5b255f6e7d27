import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { until, untilIs } from './support/until.ts';

/** Prints what an expression returns in a process on a machine that is so slow. */
async function printed(expression: string, slowness: string): Promise<string> {
  const script = `import { deadlineFor, until } from ${JSON.stringify(new URL('support/until.js', import.meta.url).href)};
    console.log(await ${expression});`;
  const env = { ...process.env, TEST_SLOWNESS: slowness };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  return stdout;
}

/** Waits 30 ms, not 30 s, and returns the error. */
function errorOf(look: string): Promise<string> {
  return printed(`until('three pushes', ${look}).catch((error) => error.message)`, '0.001');
}

test('a wait ends as soon as its fact is true', async () => {
  let looks = 0;
  await until('the third look', () => {
    looks += 1;
    return looks === 3 || looks;
  });
  assert.is(looks, 3);
});

test('a wait for a value ends with that value alone', async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
    return looks;
  };
  await untilIs('the third look', async () => look(), 3);
  assert.is(looks, 3);
});

test('a wait that fails says what it saw', async () => {
  assert.match(await errorOf('() => ["a", "b"]'), /in vain for: three pushes; last seen: \[ 'a', 'b' \]/);
  assert.match(await errorOf('async () => new Error("store is gone")'), /last seen: Error: store is gone/);
  assert.match(await errorOf('() => false'), /in vain for: three pushes$/m);
});

test('a promise, the slack and the speed of the machine make up the length of a wait, in whole milliseconds', async () => {
  assert.is(await printed('deadlineFor(60_000)', '1'), '90000\n');
  assert.is(await printed('deadlineFor(60_000)', '1.1'), '99000\n');
});

test.run();
