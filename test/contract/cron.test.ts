import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cronProblem } from '../../src/contract/cron.ts';

const NEVER = [
  '0 0 30 2 *',
  '0 0 31 2,4,6 *',
  '0 0 31 feb-feb *',
  '*/5 * 30-31 FEB *',
  '0 0 31,30 2 *',
  '0 0 30-31/1 2 *',
];
const SOME_TIME = [
  '0 0 29 2 *',
  '0 0 31 2,3 *',
  '0 0 30 2-3 *',
  '0 0 30 2 1',
  '0 0 1,31 2 *',
  '0 0 31 */2 *',
  '0 0 L 2 *',
  '0 0 30 apr *',
];

test('a day that never comes is rejected, and no other', () => {
  for (const cron of NEVER) assert.match(cronProblem(cron, 'UTC')?.message ?? '', /never comes/, cron);
  for (const cron of SOME_TIME) assert.is(cronProblem(cron, 'UTC'), null, cron);
});

test('no day that never comes is searched for: a thousand are rejected within a second of CPU', () => {
  const before = process.cpuUsage();
  for (let n = 0; n < 1_000; n += 1) assert.ok(cronProblem('0 0 30 2 *', 'Europe/Berlin'));
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});

test.run();
