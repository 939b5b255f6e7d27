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
  await withSender({ clock }, async (scene) => {
    const first = await idOf(scene, aNotification());
    for (const ms of [0, SECOND_MS, 18 * SECOND_MS]) {
      clock.move(ms);
      assert.is(await idOf(scene, aNotification()), first);
    }
    assert.is(scene.accepted.length, 1);
  });
});

test('a repeat is an event of its own, however often it comes, though it is the same byte for byte', async () => {
  const clock = standingClock();
  await withSender({ clock }, async (scene) => {
    const ids = new Set<string>();
    for (let repeat = 0; repeat < 4; repeat += 1) {
      ids.add(await idOf(scene, aNotification()));
      clock.move(41 * SECOND_MS);
    }
    assert.is(ids.size, 4);
  });
});

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

test('a try that was refused has left nothing, so that the next one is the first', async () => {
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

test.run();
