import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/config/load.ts';
import { checkInsisting, checkStyle } from '../../../src/host/doctor/gather.ts';
import { granted } from '../../support/refusals.ts';
import { valuesOf } from '../../support/values-of.ts';
import { aWorld } from '../../support/world.ts';

const FCM = { PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: '/etc/pushctl/fcm.json' };
const notification = loadConfig({ env: { ...FCM, PUSHCTL_FCM_STYLE: 'notification' } });
const data = loadConfig({ env: FCM });

test('Channels are named if Google would hold back their reminders and draw their notifications', async () => {
  const world = await aWorld({ channels: ['alerts', 'slow', 'ios'], devices: {} });
  await world.addDevice({ platform: 'android', token: 'a'.repeat(140), subscribe: ['alerts', 'slow'] });
  await world.addDevice({ subscribe: ['ios'] });
  for (const [slug, repeat] of [
    ['alerts', 179],
    ['slow', 180],
    ['ios', 60],
  ] as const) {
    granted(await world.calls.updateChannel({ workspace: 'acme', slug, insist: { repeat, until: 3_000 } }));
  }
  const stored = await world.calls.readStatus({});
  const [finding, ...more] = checkInsisting(notification, stored);
  assert.equal([finding?.status, more], ['warn', []]);
  assert.match(finding?.message ?? '', 'every 180 s in acme/alerts; ');
  assert.equal(checkInsisting(data, stored), []);
  assert.equal(checkInsisting(notification, {}), [], 'of a server that does not say');
});

test('Without a database it is said of any channel', () => {
  assert.equal(valuesOf(checkStyle(notification), 'status'), ['ok']);
  assert.equal(checkStyle(data), []);
});

test.run();
