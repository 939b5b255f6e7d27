import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLUSTER_FOLDER } from '../support/cluster-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';
import { sharedCluster } from './shared-cluster.ts';

test('Files that ask for a PostgreSQL share one until their run ends; for others none is started', async () => {
  const scratch = temporaryFolder();
  const folder = join(scratch, 'postgres');
  const file = (name: string, text: string) => {
    writeFileSync(join(scratch, name), text);
    return join(scratch, name);
  };
  const cluster = sharedCluster(folder);
  assert.equal(await cluster.environmentOf(file('none.js', "import { a } from '../support/store.js';")), {});
  assert.not(existsSync(folder));
  const asked = ['engines', 'postgres'].map((name) => file(`${name}.js`, `import { a } from '../support/${name}.js';`));
  const environments = await Promise.all(asked.map(cluster.environmentOf));
  assert.equal(environments, [{ [CLUSTER_FOLDER]: folder }, { [CLUSTER_FOLDER]: folder }]);
  const pid = serverIn(folder);
  assert.ok(isAlive(pid));
  await cluster.stop();
  assert.not(isAlive(pid));
});

test('A PostgreSQL ends with the process that started it, however that ends', async () => {
  const folder = temporaryFolder();
  const holder = spawn(process.execPath, [join(import.meta.dirname, '..', 'support', 'cluster-holder.js'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const pid = serverIn(folder);
  holder.kill('SIGKILL');
  await until('it has ended', () => !isAlive(pid));
});

test.run();

function serverIn(folder: string): number {
  return Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** One that has ended may wait for the process that takes note of it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
