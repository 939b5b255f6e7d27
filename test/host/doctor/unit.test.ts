import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkUnit, checkUnitInForce, type UnitState } from '../../../src/host/doctor/unit.ts';
import { temporaryFolder } from '../../support/folder.ts';

const RUNNING: UnitState = {
  LoadState: 'loaded',
  ActiveState: 'active',
  UnitFileState: 'enabled',
  NRestarts: '0',
  Result: 'success',
  ActiveEnterTimestamp: 'Sat 2026-11-21 09:30:00 UTC',
};

for (const [what, changed, status] of [
  ['A service that runs and starts with the machine is well', {}, 'ok'],
  ['A machine whose systemd has no such service is well', { LoadState: 'not-found' }, 'ok'],
  ['A service that has failed is a failure', { ActiveState: 'failed', Result: 'watchdog' }, 'fail'],
  ['A service that keeps failing is a failure', { ActiveState: 'activating', NRestarts: '7' }, 'fail'],
  ['A service that is stopped is a warning', { ActiveState: 'inactive' }, 'warn'],
  ['A service that would not start with the machine is a warning', { UnitFileState: 'disabled' }, 'warn'],
  ['A service that had to be started again is a warning', { NRestarts: '3' }, 'warn'],
  ['A unit that systemd cannot read is a failure', { LoadState: 'bad-setting' }, 'fail'],
] as const) {
  test(what, () => {
    const [finding] = checkUnit({ state: { ...RUNNING, ...changed }, lines: [] });
    assert.is(finding?.status, status);
    assert.is(finding?.advice === null, status === 'ok');
  });
}

test('A service that had to be started again says when', () => {
  const [finding] = checkUnit({ state: { ...RUNNING, NRestarts: '5' }, lines: [] });
  assert.match(finding?.message ?? '', /restart the service \(5 times, last Sat 2026-11-21 09:30:00 UTC\)/);
});

for (const [what, changed] of [
  ['keeps failing', { ActiveState: 'activating', NRestarts: '7' }],
  ['has failed', { ActiveState: 'failed', Result: 'exit-code' }],
] as const) {
  test(`A service that ${what} is shown with its last lines, and the advice is not just to start it`, () => {
    const lines = ['pushctl: there is no space left.', 'pushctl: Free some.'];
    const [finding] = checkUnit({ state: { ...RUNNING, ...changed }, lines });
    assert.is(finding?.status, 'fail');
    assert.match(finding?.message ?? '', new RegExp(`${what}.*\\n${lines.join('\\n')}$`));
    assert.match(finding?.advice ?? '', /^fix what they report/);
  });
}

test('There is no advice to start a service that is starting', () => {
  const [finding] = checkUnit({ state: { ...RUNNING, ActiveState: 'activating' }, lines: [] });
  assert.is(finding?.status, 'warn');
  assert.not.match(finding?.advice ?? '', 'systemctl start');
});

test('A machine without systemd gives no finding', () => {
  assert.equal(checkUnit(null), []);
});

test('A unit from a checkout that stands before the one of the package is a failure that names the way out', () => {
  const root = temporaryFolder();
  const machine = { path: (file: string) => join(root, file) };
  for (const [folder, start] of [
    ['lib/systemd/system', '/usr/bin/pushctl'],
    ['etc/systemd/system', '"/opt/pushctl/bin/pushctl"'],
  ] as const) {
    assert.equal(checkUnitInForce(machine), []);
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'pushctl.service'), `[Service]\nExecStart=${start} serve\n`);
  }
  const [finding] = checkUnitInForce(machine);
  assert.is(finding?.status, 'fail');
  assert.match(finding?.message ?? '', 'runs /opt/pushctl/bin/pushctl');
  assert.match(finding?.advice ?? '', 'pushctl uninstall');
});

test.run();
