import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { entryUrl } from '../../src/process/entry-points.ts';
import { packagePath } from '../../src/process/package.ts';
import { collectorAfterLoad, lowerPoolPriority } from '../../src/process/threads.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipWhere } from '../support/skip.ts';
import { untilIs } from '../support/until.ts';

const onLinux = skipWhere(process.platform === 'linux' ? null : 'only Linux has priorities of threads', test);

/** Priorities of this process's threads, by their names. */
function priorities(name: string): number[] {
  return readdirSync('/proc/self/task')
    .map((thread) => readFileSync(`/proc/self/task/${thread}/stat`, 'latin1'))
    .filter((stat) => stat.includes(`(${name})`))
    .map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
}

onLinux('threads that parse, search or hash give way to the HTTP thread and the store thread', async () => {
  const names = [
    'http/senders/large-body-worker',
    'http/senders/smtp/mail-worker',
    'store/transports/read-worker',
  ] as const;
  const workers = names.map((name) => {
    const code = `import(${JSON.stringify(entryUrl(name).href)}).then(() => setInterval(() => {}, 1_000));`;
    return new Worker(code, { eval: true, workerData: { dataDir: temporaryFolder(), identities: [] } });
  });
  const failing = workers.map((worker) =>
    once(worker, 'exit').then(([code]) => assert.unreachable(`ended with ${code}`)),
  );
  await Promise.race([untilIs('their priorities', workerPriorities, '10 10 10'), ...failing]);
  await lowerPoolPriority();
  assert.equal([...new Set(priorities('libuv-worker'))], [10]);
  assert.equal(priorities('MainThread').concat(priorities('node')), [0]);
  for (const [index, worker] of workers.entries())
    await Promise.all([worker.terminate(), failing[index]?.catch(() => {})]);
});

test('memory is freed once after each load, as soon as it is over for long enough, and never before the first', () => {
  const loads = [false, false, false, true, false, false, true, true, false, false, false, false, false, true, false];
  const freed: number[] = [];
  let call = 0;
  const note = collectorAfterLoad(3, () => void freed.push(call));
  for (const isBusy of [...loads, false, false, false]) {
    note(isBusy);
    call += 1;
  }
  assert.equal(freed, [10, 16]);
});

const workerPriorities = () =>
  priorities('WorkerThread')
    .filter((nice) => nice !== 0)
    .join(' ');

onLinux('the unit allows the service to lower the priorities of its own threads', () => {
  const unit = readFileSync(packagePath('systemd', 'pushctl.service'), 'utf8');
  const filters = unit.split('\n').filter((line) => line.startsWith('SystemCallFilter='));
  assert.is(filters.at(-1), 'SystemCallFilter=setpriority');
});

test.run();
