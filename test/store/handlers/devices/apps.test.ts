import * as assert from 'uvu/assert';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { register, update } from '../../../support/own-devices.ts';
import { idOf } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld } from '../../../support/world.ts';

const PARTNER = 'com.example.partner';
const { it, run } = conformance('apps of devices', aWorld);

it('a device keeps the app that it named, until it registers without or names another', async (world) => {
  const phone = { platform: 'ios', token: tokenOf(1) } as const;
  const { device } = await register(world, { ...phone, app: PARTNER });
  assert.is(device.app, PARTNER);
  assert.is((await update(world, { id: device.id, token: tokenOf(2) })).app, PARTNER, 'a new token is of the same app');
  assert.is((await update(world, { id: device.id, name: 'Phone' })).app, PARTNER);
  assert.is((await update(world, { id: device.id, token: tokenOf(2), app: 'com.example.app' })).app, 'com.example.app');
  assert.is((await register(world, { platform: 'ios', token: tokenOf(2) })).device.app, null);
});

it('an app that is not configured is refused with those that are, as is one of another platform', async ({ calls }) => {
  const owner = { userId: await idOf({ calls }) };
  const unknown = refused(
    await calls.registerDevice({ ...owner, platform: 'ios', token: tokenOf(1), app: 'com.example.other' }),
  );
  assert.is(unknown.detail?.field, 'app');
  assert.is(
    unknown.message,
    'The app field must be an app that this server pushes to: com.example.app, com.example.partner.',
  );
  const android = { platform: 'android', token: 'installation-id-1', tokenKind: 'installation_id' } as const;
  assert.is(refused(await calls.registerDevice({ ...owner, ...android, app: PARTNER })).detail?.field, 'app');
});

it('an app goes along in exports, and comes back by an import', async ({ calls }) => {
  const place = { importId: 'apps', workspace: 'acme', email: ADA };
  const lines = [
    { line: 1, device: { platform: 'ios', token: tokenOf(1), app: PARTNER } },
    { line: 2, device: { platform: 'ios', token: tokenOf(2) } },
  ] as const;
  granted(await calls.stageImport({ ...place, lines }));
  granted(await calls.commitImport(place));
  let step = granted(await calls.registerImported(place));
  while (!step.done) step = granted(await calls.registerImported(place));
  assert.is(step.imported, 2);
  const { devices } = granted(await calls.exportDevices({ workspace: 'acme', limit: 10 }));
  assertEach(devices, ({ token, app }) => [token, app], [
    [tokenOf(1), PARTNER],
    [tokenOf(2), undefined],
  ]);
  const listed = granted(await calls.listDevices({ workspace: 'acme', limit: 10 })).devices;
  assertEach(listed, ({ app }) => app, [PARTNER, null]);
});

run();
