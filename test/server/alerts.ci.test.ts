import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Alert } from '../../src/store/calls.ts';
import { readingFrom } from '../crash/stopped-data.ts';
import { fetchReply } from '../support/http.ts';
import {
  assertThreeRounds,
  BUSY_MS,
  ENGINES,
  EXACT_MS,
  INSISTING,
  insist,
  retrying,
  type Servers,
  startServers,
} from '../support/insisting-servers.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { shownBy } from '../support/shown.ts';
import { until } from '../support/until.ts';

const test = suite('server: alerts that insist');

const SOON_MS = 2_000;
const RING_AFTER_S = 5;

for (const [engine, settings, count] of ENGINES) {
  test(`Over ${engine} all devices are reminded round by round, until one member has it`, async () => {
    await using opened = new Resources();
    const servers = await startServers(opened, await settings(), count);
    await assertThreeRounds(servers, { storm: 100, next: (dueAtMs) => bringForward(servers, dueAtMs) });
  });
}

for (const [engine, settings, count] of ENGINES) {
  test(`Over ${engine} 200 racing posts of one key are one alert, and 200 racing acknowledgements one name`, async () => {
    await using opened = new Resources();
    const servers = await startServers(opened, await settings(), count);
    const { team } = servers.first;
    await insist(servers, 'alerts');
    const doors = [servers.first.url, servers.last.url];
    const post = (path: string, key: string, nth: number, body: object) =>
      retrying(() => fetchReply(doors[nth % doors.length] ?? '', path, { method: 'POST', key, body }));
    const race = <T>(runner: (nth: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 200 }, (_, nth) => runner(nth)));
    const event = { channel: 'alerts', title: 'Disk full', collapse_key: 'disk', ...INSISTING };
    const posted = await race((nth) => post('/api/v1/events', team.key, nth, event));
    assert.ok(posted.every(({ status }) => status === 202));
    const { alerts } = granted(await team.store.listAlerts({ workspace: 'acme', limit: 10 }));
    assert.is(alerts.length, 1);

    const scopes = ['events:read', 'alerts:write'] as const;
    const issue = (nth: number) => team.issueKey({ name: `on call ${nth}`, scopes });
    const keys = await Promise.all(Array.from({ length: 20 }, (_, nth) => issue(nth)));
    const path = `/api/v1/events/${alerts[0]?.id}/acknowledge`;
    const answers = await race((nth) => post(path, keys[nth % keys.length]?.text ?? '', nth, {}));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.is(new Set(answers.map(({ body }) => (body.alert as Alert).acknowledged_by)).size, 1);
    const { entries } = granted(await team.store.listAudit({ workspace: 'acme', action: 'alert', limit: 10 }));
    assert.is(entries.length, 1);
  });
}

for (const [engine, settings, count] of ENGINES) {
  test(`Over ${engine} an alert that stays open rings once ring_after is over, and one that ends does not`, async () => {
    await using opened = new Resources();
    const { sandbox, first } = await startServers(opened, await settings(), count);
    const { team } = first;
    const insist = { repeat: 600, until: 3_600, ring_after: RING_AFTER_S };
    granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
    await team.addDevice(sandbox, { platform: 'android' });
    const ringsMs: number[] = [];
    sandbox.onPush((push) => {
      if (!shownBy(push).isQuiet) ringsMs.push(Date.now());
    });
    const post = (event: object) => team.post({ ...INSISTING, title: 'Disk full', ...event });
    await post({ collapse_key: 'short' });
    await post({ collapse_key: 'short', level: 'success' });
    const postedMs = Date.now();
    const { event } = (await post({ collapse_key: 'disk' })).body;
    await until('it rings', () => ringsMs.length > 0, 1_000 * RING_AFTER_S);
    const lateMs = (ringsMs[0] ?? 0) - postedMs - 1_000 * RING_AFTER_S;
    assert.ok(lateMs > -EXACT_MS && lateMs < EXACT_MS + BUSY_MS, `${lateMs} ms late`);
    granted(await team.store.acknowledgeAlert({ publicId: event.public_id }));
    assert.is(ringsMs.length, 1);
    process.stdout.write(`\nthe first ring is late by ${lateMs} ms\n`);
  });
}

test.run();

/** Brings the next round of all channels forward. After a change to a channel, the servers look when it is due. */
async function bringForward({ env, first: { team } }: Servers, dueAtMs: number): Promise<number> {
  const byMs = dueAtMs - Date.now() - SOON_MS;
  await readingFrom(env)(`UPDATE insisting SET next_at = next_at - ${byMs}`);
  granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', name: 'Alerts' }));
  return dueAtMs - byMs;
}
