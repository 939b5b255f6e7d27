import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SOCKET_UNITS } from '../../src/config/held-sockets.ts';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipWhere } from '../support/skip.ts';

const UNIT = packagePath('systemd', 'pushctl.service');
const HELPER = packagePath('systemd', 'pushctl-credentials.service');
/** The bound out of 10: systemd's own figure for how much of the machine lies open to a service. */
const MOST_EXPOSURE = 1.5;

const analyse = (unit: string) =>
  spawnSync('systemd-analyze', ['security', '--offline=yes', unit], { encoding: 'utf8' });
const withAnalysis = skipWhere(analyse(UNIT).status === 0 ? null : 'needs systemd-analyze with --offline', test);

withAnalysis(
  'The units leave almost nothing of the machine open to the service and to the root unit that hands over its keys',
  () => {
    for (const unit of [UNIT, HELPER]) assert.ok(exposureOf(unit) <= MOST_EXPOSURE, `${unit}: ${exposureOf(unit)}`);
  },
);

/** Makes a unit valid on a machine without pushctl. */
const runnable = (file: string) => readFileSync(file, 'utf8').replaceAll('/usr/bin/pushctl', '/bin/true');
const verify = (...units: readonly string[]) =>
  spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', ...units], { encoding: 'utf8' });
const withVerification = skipWhere(
  verify('local-fs.target').status === 0 ? null : 'needs systemd-analyze verify',
  test,
);

withVerification('systemd has nothing to say about any of the units', () => {
  const units = readdirSync(packagePath('systemd')).filter((name) => /\.(service|timer|socket)$/.test(name));
  assert.is(units.length, 5);
  const folder = temporaryFolder();
  for (const name of units) writeFileSync(join(folder, name), runnable(packagePath('systemd', name)));
  const { status, stderr } = verify(...units.map((name) => join(folder, name)));
  assert.is(
    stderr
      .split('\n')
      .filter((line) => line.includes('pushctl'))
      .join('\n'),
    '',
  );
  assert.is(status, 0, stderr);
});

test('The sockets go by the names that the server knows, stop with the service, and are brought back by it', () => {
  for (const [name, unit] of Object.entries(SOCKET_UNITS)) {
    const text = readFileSync(packagePath('systemd', unit), 'utf8');
    for (const line of [
      `FileDescriptorName=${name}`,
      'Service=pushctl.service',
      'StopPropagatedFrom=pushctl.service',
      'TriggerLimitIntervalSec=0',
      'WantedBy=sockets.target pushctl.service',
    ]) {
      assert.ok(text.split('\n').includes(line), `${unit}: ${line}`);
    }
  }
});

test('Nothing of the service’s memory reaches a disk', () => {
  assert.is(setting('LimitCORE'), '0');
  assert.is(setting('MemorySwapMax'), '0');
});

test('The service’s memory has a bound', () => {
  assert.is(setting('MemoryHigh'), '768M');
  assert.is(setting('MemoryMax'), '1G');
});

test('The service runs as a user whose number never changes', () => {
  assert.is(setting('User'), 'pushctl');
  assert.is(setting('DynamicUser'), undefined);
});

test.run();

function exposureOf(unit: string): number {
  return Number(/Overall exposure level.*: ([\d.]+)/.exec(analyse(unit).stdout)?.[1]);
}

function setting(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(UNIT, 'utf8'))?.[1];
}
