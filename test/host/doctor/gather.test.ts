import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/config/load.ts';
import { checkAge, checkInsisting, checkStyle, examineConfig } from '../../../src/host/doctor/gather.ts';
import { systemClock } from '../../../src/process/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
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

const MADE_MS = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

for (const [days, status, age] of [
  [-1, 'ok', 'less than a day'],
  [0, 'ok', 'less than a day'],
  [1, 'ok', '1 day'],
  [59, 'ok', '59 days'],
  [62, 'ok', '2 months'],
  [182, 'ok', '5 months'],
  [183, 'warn', '6 months'],
  [335, 'warn', '11 months'],
  [800, 'warn', '26 months'],
] as const) {
  test(`A version of ${days} days is ${age} old: ${status}`, () => {
    const [finding] = checkAge(MADE_MS, MADE_MS + days * DAY_MS);
    assert.equal([finding?.status, finding?.message], [status, `this version is ${age} old`]);
  });
}

test('A version of unknown age has no finding', () => {
  assert.equal(checkAge(null, MADE_MS), []);
});

test('An audit log that forgets the last backup before it counts as too old is a warning', () => {
  const folder = temporaryFolder();
  const findings = (env: Record<string, string>) =>
    examineConfig({ config: loadConfig({ env, file: null }), file: null, clock: systemClock() })
      .filter(({ check }) => check === 'retention.audit')
      .map(({ status }) => status);
  const backup = { PUSHCTL_BACKUP_FOLDER: folder, PUSHCTL_BACKUP_EVERY: '30d' };
  assert.equal(findings({ ...backup, PUSHCTL_RETENTION_AUDIT: '59d' }), ['warn']);
  assert.equal(findings({ ...backup, PUSHCTL_RETENTION_AUDIT: '60d' }), []);
  assert.equal(findings({ PUSHCTL_RETENTION_AUDIT: '24h' }), [], 'the server makes none');
});

test.run();
