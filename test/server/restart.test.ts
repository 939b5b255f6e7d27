import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databasePath } from '../../src/store/data-folder.ts';
import { openReadOnly } from '../../src/store/sqlite/database.ts';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, startTestServer } from '../support/server.ts';
import { someSettings } from '../support/store.ts';
import { until, untilIs } from '../support/until.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { linesOf } from '../support/world.ts';

/** The provider is away when the old server stops, so everything is still in the queue. */
test('Pushes that wait when a server stops are sent by the next one, each once', async () => {
  await using opened = new Resources();
  const first = await startTestServer(opened, { env: { PUSHCTL_DELIVERY_STOP_TIMEOUT: '0ms' } });
  const { sandbox, team, env } = first;
  for (let n = 0; n < 3; n += 1) await team.addDevice(sandbox, { platform: 'android' });
  const fix = sandbox.behave({
    match: { endpoint: 'fcm' },
    answer: { kind: 'refuse', reason: 'UNAVAILABLE', status: 503, retryAfterS: 1 },
  });
  const posted = await Promise.all(Array.from({ length: 5 }, () => team.post()));
  await first.server.stop();
  fix();

  const pushesOf = (publicId: string) =>
    sandbox.pushes.filter(({ payload }) => JSON.stringify(payload).includes(publicId));
  await serveHere(opened, env);
  for (const { body } of posted) {
    const { public_id: publicId } = body.event;
    await untilIs('three pushes of each event', () => pushesOf(publicId).length, 3);
  }
  assert.is(sandbox.pushes.length, 15);
});

/** Work that a command began while no server ran, and did not finish. */
test('An import that was decided, and what deletions left behind, are finished by the next server', async () => {
  await using opened = new Resources();
  const { server, team, env } = await startTestServer(opened);
  const dataDir = String(env.PUSHCTL_DATA_DIR);
  granted(await team.store.createChannel({ workspace: 'acme', slug: 'old' }));
  await server.stop();

  const store = opened.add(openLocalStore({ dataDir, settings: someSettings() }));
  const devices = Array.from({ length: 500 }, (_, n) => aDevice({ token: tokenOf(n), subscribe: ['old'] }));
  const { email } = granted(await store.listMembers({ workspace: 'acme' }))[0] ?? {};
  const place = { importId: 'one', workspace: 'acme', email: String(email) };
  granted(await store.stageImport({ ...place, lines: linesOf(devices) }));
  granted(await store.commitImport(place));
  granted(await store.registerImported(place));
  granted(await store.deleteChannel({ workspace: 'acme', slug: 'old' }));
  await store.close();

  await serveHere(opened, env);
  const db = openReadOnly(databasePath(dataDir));
  opened.onEnd(() => db.close());
  const counted = (table: string) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
  await untilIs('all devices are there', () => counted('device'), 500);
  await until('nothing of the channel is left', () => counted('subscription') === 0 && counted('cleanup_job') === 0);
});

test.run();
