import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { skipWhere } from '../support/skip.ts';

const UNIT = packagePath('systemd', 'pushctl.service');
const HELPER = packagePath('systemd', 'pushctl-credentials.service');
/** Of 10; systemd's own figure for how much of the machine lies open to a service. */
const MOST_EXPOSURE = 1.5;

const analyse = (unit: string) =>
  spawnSync('systemd-analyze', ['security', '--offline=yes', unit], { encoding: 'utf8' });
const withAnalysis = skipWhere(analyse(UNIT).status === 0 ? null : 'needs systemd-analyze with --offline', test);

withAnalysis(
  'The units leave next to nothing of the machine open: to the service, and to root, which hands it its keys',
  () => {
    for (const unit of [UNIT, HELPER]) assert.ok(exposureOf(unit) <= MOST_EXPOSURE, `${unit}: ${exposureOf(unit)}`);
  },
);

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
