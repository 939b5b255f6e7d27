import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../src/process/clock.ts';
import { aNotification, anAlert, type SenderScene, withSender } from '../../support/senders.ts';

const SECOND_MS = 1_000;

/** A clock that stands still until it is moved. */
function standingClock() {
  let wallMs = Date.UTC(2026, 10, 21, 9, 30, 19, 500);
  return { ...systemClock(), wallMs: () => wallMs, move: (ms: number) => (wallMs += ms) };
}

async function idOf({ api, key }: SenderScene, body: object, path = '/senders/alertmanager/alerts'): Promise<string> {
  const reply = await api.request(path, { method: 'POST', key: key(), body });
  assert.is(reply.status, 200, reply.text);
  return (reply.body.event as { public_id: string }).public_id;
}

test('a further try of a notification makes no second event, also across the edge of a period', async () => {
  const clock = standingClock();
  await withSender({ clock, storeClock: clock }, async (scene) => {
    const first = await idOf(scene, aNotification());
    for (const ms of [0, SECOND_MS, 18 * SECOND_MS, 75 * SECOND_MS, 205 * SECOND_MS]) {
      clock.move(ms);
      assert.is(await idOf(scene, aNotification()), first);
    }
    assert.is(scene.accepted.length, 1);
  });
});

test('each repeat is an event of its own, even if it is the same byte for byte', async () => {
  const clock = standingClock();
  await withSender({ clock, storeClock: clock }, async (scene) => {
    const ids = new Set<string>();
    for (let repeat = 0; repeat < 4; repeat += 1) {
      ids.add(await idOf(scene, aNotification()));
      clock.move(300 * SECOND_MS);
    }
    assert.is(ids.size, 4);
  });
});

test('without times of its alerts, what comes again after 40 seconds is news', async () => {
  const clock = standingClock();
  await withSender({ clock, storeClock: clock }, async (scene) => {
    const undated = aNotification({ alerts: [anAlert({ startsAt: '' })] });
    const first = await idOf(scene, undated);
    clock.move(39 * SECOND_MS);
    assert.is(await idOf(scene, undated), first);
    clock.move(SECOND_MS);
    assert.is.not(await idOf(scene, undated), first);
  });
});

for (const format of ['alertmanager', 'grafana'] as const) {
  test(`a late delivery of the second ${format} of a pair, of alerts that have ended, is no event`, async () => {
    const clock = standingClock();
    await withSender({ clock, storeClock: clock }, async (scene) => {
      const post = async (body: object) => {
        const path = `/senders/${format}/alerts`;
        const reply = await scene.api.request(path, { method: 'POST', key: scene.key(), body });
        clock.move(600 * SECOND_MS);
        return [reply.status, scene.accepted.length];
      };
      const disk = anAlert({ fingerprint: 'disk' });
      const ended = { status: 'resolved', endsAt: '2026-11-21T10:00:00Z' };
      const resolved = (...alerts: object[]) => aNotification({ status: 'resolved', alerts });
      assert.equal(await post(aNotification({ alerts: [anAlert(), disk] })), [200, 1]);
      assert.equal(await post(aNotification({ alerts: [anAlert(ended), disk] })), [200, 2], 'one of them ends');
      assert.equal(await post(aNotification({ alerts: [anAlert(), disk] })), [200, 3], 'the other one still fires');
      assert.equal(await post(resolved(anAlert({ ...ended, fingerprint: 'disk' }))), [200, 4]);
      const late = aNotification({ alerts: [anAlert(), disk], externalURL: 'http://alertmanager-2.example.com' });
      for (let n = 0; n < 3; n += 1) assert.equal(await post(late), [200, 4], 'both ended');
      assert.equal(await post(aNotification({ alerts: [anAlert()] })), [200, 4], 'the one that ended first');
      const again = anAlert({ startsAt: '2026-11-21T10:00:01Z' });
      assert.equal(await post(aNotification({ alerts: [again, disk] })), [200, 5], 'it fires again');
      const hidden = anAlert({ fingerprint: 'hidden' });
      assert.equal(
        await post(aNotification({ alerts: [hidden] })),
        [200, 6],
        'one that was silenced while others ended',
      );
      assert.equal(await post(aNotification({ alerts: [disk], truncatedAlerts: 1 })), [200, 7], 'another is not shown');
      assert.equal(await post(aNotification({ alerts: [disk], groupKey: 'another' })), [200, 8]);
    });
  });
}

test('resolved at once is no further try of firing, and another channel has an event of its own', async () => {
  await withSender({ clock: standingClock(), channels: ['alerts', 'builds'] }, async (scene) => {
    const { text } = await scene.api.issueKey();
    const unbound = { ...scene, key: () => text };
    const ids = [
      await idOf(unbound, aNotification()),
      await idOf(unbound, aNotification({ status: 'resolved', alerts: [anAlert({ status: 'resolved' })] })),
      await idOf(unbound, aNotification(), '/senders/alertmanager/builds'),
    ];
    assert.is(new Set(ids).size, 3);
    const [firing, resolved] = scene.accepted;
    assert.is(firing?.collapseKey, resolved?.collapseKey);
  });
});

test('tries that race make one event', async () => {
  await withSender({ clock: standingClock() }, async (scene) => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => idOf(scene, aNotification())));
    assert.equal([new Set(ids).size, scene.accepted.length], [1, 1]);
  });
});

test('a refused try leaves nothing behind, so the next one is the first', async () => {
  let isDown = true;
  await withSender({ clock: standingClock() }, async (scene) => {
    const { StoreUnavailable } = await import('../../../src/store/calls.ts');
    const { transport } = scene.api.store;
    const { ask } = transport;
    Object.assign(transport, {
      ask: (...asked: Parameters<typeof ask>) =>
        isDown && asked[0].name === 'acceptEvent'
          ? Promise.reject(new StoreUnavailable('no space left'))
          : ask(...asked),
    });
    const asked = { method: 'POST', key: scene.key(), body: aNotification() };
    const { status, headers } = await scene.api.request('/senders/alertmanager/alerts', asked);
    assert.equal([status, Number(headers['retry-after']) > 0], [503, true]);
    isDown = false;
    await idOf(scene, aNotification());
    assert.is(scene.accepted.length, 1);
  });
});

test('PagerDuty’s events with the same key, action and payload within five minutes are one', async () => {
  const clock = standingClock();
  await withSender({ clock, storeClock: clock }, async (scene) => {
    const post = async (with_: object) => {
      const payload = { summary: 'Disk full', source: 'db-1', severity: 'critical' };
      const body = { routing_key: scene.key(), event_action: 'trigger', dedup_key: 'disk', payload, ...with_ };
      const path = '/senders/pagerduty/v2/enqueue';
      assert.is((await scene.api.request(path, { method: 'POST', body })).status, 202);
      return scene.accepted.length;
    };
    assert.is(await post({ client_url: 'http://alertmanager-1.example.com' }), 1);
    clock.move(299 * SECOND_MS);
    assert.is(await post({ client_url: 'http://alertmanager-2.example.com' }), 1);
    assert.is(await post({ dedup_key: 'another' }), 2);
    assert.is(await post({ event_action: 'resolve' }), 3);
    assert.is(await post({ payload: { summary: 'Disk fuller', source: 'db-1', severity: 'critical' } }), 4);
    clock.move(SECOND_MS);
    assert.is(await post({}), 5);
  });
});

test.run();
