import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { valuesOf } from '../support/values-of.ts';
import { alertmanagerObstacle, startAlertmanager } from './alertmanager.ts';
import { aReceiver, type Receiver } from './receiver.ts';

const alertmanager = suite('alertmanager');
const withAlertmanager = skipWhere(alertmanagerObstacle(), alertmanager);

const DELIVERED = /msg="Notify success"/;
const TRIED_IN_VAIN = /msg="Notify attempt failed, will retry later"/;

async function aServer(opened: Resources): Promise<Receiver & { readonly webhook: string }> {
  const receiver = await aReceiver(opened, '127.0.0.77');
  return { ...receiver, webhook: `${receiver.server.url}/senders/alertmanager/alerts` };
}

withAlertmanager('A later delivery by another Alertmanager of a group, soon or after the end, is no push', async () => {
  await using opened = new Resources();
  const { key, team, webhook, nth, shown } = await aServer(opened);
  const startsAt = new Date(Date.now() - 60_000).toISOString();
  const alert = ['DiskFull', { severity: 'critical' }] as const;
  const start = () => startAlertmanager(opened, { url: webhook, key, repeatInterval: '2s' });
  const first = await start();
  await first.fire(...alert, startsAt);
  await nth(1);
  for (let n = 0; n < 2; n += 1) {
    const other = await start();
    await other.fire(...alert, startsAt);
    await other.logged(DELIVERED);
    if (n === 0) await first.resolve(...alert);
    await nth(2);
  }
  assert.equal(valuesOf(shown(), 'level', 'delivery_urgency'), ['error time_sensitive', 'success standard']);
  assert.is(new Set(shown().map(({ collapse_id: id }) => id)).size, 1);
  const { events } = granted(await team.store.listEvents({ workspace: 'acme', limit: 9 }));
  assert.is(events.length, 2);
});

withAlertmanager(
  'An alert and its end come by its way to PagerDuty too, also while the server is away, and take the place of each other',
  async () => {
    await using opened = new Resources();
    const { key, server, nth, shown, goAway, comeBack } = await aServer(opened);
    const url = `${server.url}/senders/pagerduty/v2/enqueue`;
    const running = await startAlertmanager(opened, { url, key, isPagerduty: true });
    await running.fire('DiskFull', { severity: 'critical' });
    await nth(1);
    await goAway();
    await running.resolve('DiskFull', { severity: 'critical' });
    await running.logged(TRIED_IN_VAIN);
    await comeBack();
    await nth(2);
    assert.equal(valuesOf(shown(), 'title', 'level'), [
      '[FIRING:1] DiskFull (critical) error',
      '[RESOLVED] DiskFull (critical) success',
    ]);
    assert.is(new Set(shown().map(({ collapse_id: id }) => id)).size, 1);
  },
);

withAlertmanager('An alert that fires while the server is away comes once when it is back', async () => {
  await using opened = new Resources();
  const { key, webhook, nth, shown, goAway, comeBack } = await aServer(opened);
  const running = await startAlertmanager(opened, { url: webhook, key });
  await goAway();
  await running.fire('DiskFull', { severity: 'warning' });
  await running.logged(TRIED_IN_VAIN);
  await comeBack();
  await nth(1);

  await running.resolve('DiskFull', { severity: 'warning' });
  await nth(2);
  assert.equal(valuesOf(shown(), 'level'), ['warning', 'success']);
});

withAlertmanager('An alert that meets a spent burst limit is answered with a 503, and comes later', async () => {
  await using opened = new Resources();
  const { team, server, webhook, nth, shown } = await aServer(opened);
  const { text: key } = await team.issueKey({ burstPerMinute: 1 });
  const running = await startAlertmanager(opened, { url: webhook, key });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ channel: 'alerts', title: 'First' });
  assert.is((await fetch(`${server.url}/api/v1/events`, { method: 'POST', headers, body })).status, 202);
  await running.fire('DiskFull');
  await running.logged(/msg="Notify attempt failed, will retry later".*unexpected status code 503/);
  // The limit is on any sixty seconds.
  await nth(2, 60_000);
  assert.equal(
    shown().map(({ title }) => title?.includes('DiskFull')),
    [false, true],
  );
});

alertmanager.run();
