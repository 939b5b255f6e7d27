import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Push } from '../../src/sandbox/journal.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { Opened } from '../support/opened.ts';
import { serveHere, startTestServer, type TestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { alertmanagerObstacle, startAlertmanager } from './alertmanager.ts';

const alertmanager = suite('alertmanager');
const withAlertmanager = skipWhere(alertmanagerObstacle(), alertmanager);

/** Longer than any of these waits, the longest of which is the minute of a spent burst. */
const DEADLINE_MS = 180_000;
const TRIED_IN_VAIN = /msg="Notify attempt failed, will retry later"/;

/**
 * With one Android device. The server listens where nothing else on this machine does, so that its port is free when it
 * comes back.
 */
async function aServer(opened: Opened): Promise<TestServer & { readonly webhook: string }> {
  const parts = await startTestServer(opened, { env: { PUSHCTL_LISTEN: '127.0.0.77:0' } });
  await parts.team.addDevice(parts.sandbox, { platform: 'android' });
  return { ...parts, webhook: `${parts.server.url}/senders/alertmanager/alerts` };
}

/** What the device shows, in the order in which it came. */
function shown({ pushes }: Sandbox): readonly Readonly<Record<string, string>>[] {
  return pushes.map(({ payload }) => payload.data as Readonly<Record<string, string>>);
}

function nth(count: number): (push: Push) => boolean {
  return ({ number }) => number === count;
}

withAlertmanager('An alert, its repeat and its end are pushes that take the place of each other', async () => {
  await using opened = new Opened();
  const { sandbox, team, webhook } = await aServer(opened);
  // Beyond the time in which the same again counts as another try.
  const running = await startAlertmanager(opened, { url: webhook, key: team.key, repeatInterval: '45s' });
  await running.fire('DiskFull', { severity: 'critical' });
  await sandbox.waitForPush(nth(2), DEADLINE_MS);
  await running.resolve('DiskFull', { severity: 'critical' });
  await sandbox.waitForPush(nth(3), DEADLINE_MS);

  assert.equal(
    shown(sandbox).map(({ level, delivery_urgency: urgency }) => [level, urgency]),
    [
      ['error', 'time_sensitive'],
      ['error', 'time_sensitive'],
      ['success', 'standard'],
    ],
  );
  assert.is(new Set(shown(sandbox).map(({ collapse_id: id }) => id)).size, 1);
  assert.is(new Set(shown(sandbox).map(({ event_id: id }) => id)).size, 3);
});

withAlertmanager(
  'An alert and its end come by its way to PagerDuty too, and take the place of each other',
  async () => {
    await using opened = new Opened();
    const { sandbox, team, server } = await aServer(opened);
    const { text: key } = await team.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
    const url = `${server.url}/senders/pagerduty/v2/enqueue`;
    const running = await startAlertmanager(opened, { url, key, isPagerduty: true });
    await running.fire('DiskFull', { severity: 'critical' });
    await sandbox.waitForPush(nth(1), DEADLINE_MS);
    await running.resolve('DiskFull', { severity: 'critical' });
    await sandbox.waitForPush(nth(2), DEADLINE_MS);
    assert.equal(
      shown(sandbox).map(({ title, level }) => [title, level]),
      [
        ['[FIRING:1] DiskFull (critical)', 'error'],
        ['[RESOLVED] DiskFull (critical)', 'success'],
      ],
    );
    assert.is(new Set(shown(sandbox).map(({ collapse_id: id }) => id)).size, 1);
  },
);

withAlertmanager('An alert that fires while the server is away comes once when it is back', async () => {
  await using opened = new Opened();
  const { sandbox, team, server, env, webhook } = await aServer(opened);
  const running = await startAlertmanager(opened, { url: webhook, key: team.key });
  await server.stop();
  await running.fire('DiskFull', { severity: 'warning' });
  await running.logged(TRIED_IN_VAIN);
  await serveHere(opened, { ...env, PUSHCTL_LISTEN: new URL(webhook).host });
  await sandbox.waitForPush(nth(1), DEADLINE_MS);

  await running.resolve('DiskFull', { severity: 'warning' });
  await sandbox.waitForPush(nth(2), DEADLINE_MS);
  assert.equal(
    shown(sandbox).map(({ level }) => level),
    ['warning', 'success'],
  );
});

withAlertmanager('An alert that meets a spent burst limit is answered with a 503, and comes later', async () => {
  await using opened = new Opened();
  const { sandbox, team, server, webhook } = await aServer(opened);
  const { text: key } = await team.issueKey({ burstPerMinute: 1 });
  const running = await startAlertmanager(opened, { url: webhook, key });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ channel: 'alerts', title: 'First' });
  assert.is((await fetch(`${server.url}/api/v1/events`, { method: 'POST', headers, body })).status, 202);
  await running.fire('DiskFull');
  await running.logged(/msg="Notify attempt failed, will retry later".*unexpected status code 503/);
  await sandbox.waitForPush(nth(2), DEADLINE_MS);
  assert.equal(
    shown(sandbox).map(({ title }) => title?.includes('DiskFull')),
    [false, true],
  );
});

alertmanager.run();
