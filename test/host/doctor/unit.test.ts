import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkUnit, type UnitState } from '../../../src/host/doctor/unit.ts';

const RUNNING: UnitState = {
  LoadState: 'loaded',
  ActiveState: 'active',
  UnitFileState: 'enabled',
  NRestarts: '0',
  Result: 'success',
};

for (const [what, changed, status] of [
  ['A service that runs and starts with the machine is well', {}, 'ok'],
  ['A machine whose systemd has no such service is well', { LoadState: 'not-found' }, 'ok'],
  ['A service that has failed is a failure', { ActiveState: 'failed', Result: 'watchdog' }, 'fail'],
  ['A service that is stopped is a warning', { ActiveState: 'inactive' }, 'warn'],
  ['A service that would not start with the machine is a warning', { UnitFileState: 'disabled' }, 'warn'],
  ['A service that had to be started again is a warning', { NRestarts: '3' }, 'warn'],
  ['A unit that systemd cannot read is a failure', { LoadState: 'bad-setting' }, 'fail'],
] as const) {
  test(what, async () => {
    const [finding] = await checkUnit(async () => ({ ...RUNNING, ...changed }));
    assert.is(finding?.status, status);
    assert.is(finding?.advice === null, status === 'ok');
  });
}

test('A machine without systemd gives no finding', async () => {
  assert.equal(await checkUnit(async () => null), []);
});

test.run();
